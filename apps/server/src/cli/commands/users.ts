import { roleName } from "@gateway/shared/accounts/roles";
import { UserInput } from "@gateway/shared/accounts/user";
import type { Command } from "commander";
import { type CommonOptions, confirm, runOn, table, type Terminal } from "#cli/command.ts";
import { CommandFailure, ExitCode } from "#cli/failure.ts";
import { operatorOf } from "#cli/operator.ts";
import { readInput } from "#cli/secret-input.ts";
import { createUser, manageUser } from "#domain/accounts/administration.ts";
import { recoverAccount } from "#domain/accounts/recover-account.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import type { Db } from "#platform/database/db.ts";
import { idArgument, limitArgument, type ListOptions } from "./arguments.ts";

const shown = {
  id: true,
  username: true,
  display_name: true,
  email: true,
  role: true,
  status: true,
  group: true,
  quota: true,
  used_quota: true,
  created_time: true,
  last_login_time: true,
} as const;

export function userCommands(program: Command, terminal: Terminal): void {
  const users = program
    .command("users")
    .description("Lists, shows, creates, disables, enables and recovers users.");
  users
    .command("list")
    .description("Lists users by id.")
    .option("--limit <rows>", "maximum number of rows", limitArgument, 100)
    .option("--after <id>", "only users with a higher id", idArgument, 0)
    .option("--json", "print JSON")
    .action((options: CommonOptions & ListOptions) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        await bookCharges(db);
        const rows = await db.user.findMany({
          where: { deleted_at: null, id: { gt: options.after } },
          orderBy: { id: "asc" },
          take: options.limit,
          select: shown,
        });
        const lines = rows.map((user) => [
          String(user.id),
          user.username,
          roleName(user.role),
          user.status === 1 ? "enabled" : "disabled",
          user.group,
          String(user.quota),
        ]);
        return { json: rows, text: table([["id", "name", "role", "status", "group", "points"], ...lines]) };
      }),
    );
  users
    .command("show")
    .description("Shows a user.")
    .argument("<id>", "id of the user", idArgument)
    .option("--json", "print JSON")
    .action((id: number, options: CommonOptions) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        const user = await findUser(db, id);
        return {
          json: user,
          text: table(Object.entries(user).map(([name, value]) => [name, readable(value)])),
        };
      }),
    );
  createCommand(users, terminal);
  recoverCommand(users, terminal);
  for (const action of ["disable", "enable"] as const)
    users
      .command(action)
      .description(`${action === "disable" ? "Disables" : "Enables"} a user.`)
      .argument("<id>", "id of the user", idArgument)
      .option("--yes", "do not ask")
      .option("--json", "print JSON")
      .action((id: number, options: CommonOptions) =>
        runOn(terminal, options, async ({ database: { db }, secrets }) => {
          const user = await findUser(db, id);
          await confirm(
            terminal,
            options,
            `${action === "disable" ? "Disable" : "Enable"} user ${user.username}?`,
          );
          await manageUser(db, await secrets(), await operatorOf(db), { username: user.username, action });
          const after = await findUser(db, id);
          return { json: after, text: `User ${user.username} is ${action}d.` };
        }),
      );
}

function createCommand(users: Command, terminal: Terminal): void {
  users
    .command("create")
    .description(
      "Creates a user. The password is read from standard input, to keep it out of the shell history.",
    )
    .argument("<username>")
    .option("--group <symbol>", "group of the user", "default")
    .option("--quota <points>", "starting balance in points", Number, 0)
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((username: string, options: CommonOptions & { group: string; quota: number }) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        const given = {
          username,
          group: options.group,
          quota: options.quota,
          password: await passwordFromInput(terminal),
        };
        const input = UserInput.safeParse(given);
        if (!input.success)
          throw new CommandFailure(
            input.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
            ExitCode.usage,
          );
        await confirm(terminal, options, `Create user ${username}?`);
        const user = await createUser(db, await operatorOf(db), input.data, 0);
        return { json: await findUser(db, user.id), text: `User ${username} has the id ${user.id}.` };
      }),
    );
}

function recoverCommand(users: Command, terminal: Terminal): void {
  users
    .command("recover")
    .description("Sets a new random password, prints it once and ends all sessions of the user.")
    .argument("<id>", "id of the user", idArgument)
    .option("--remove-second-factor", "also disable two-factor authentication", false)
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((id: number, options: CommonOptions & { removeSecondFactor: boolean }) =>
      runOn(terminal, options, async ({ database: { db }, secrets }) => {
        const { username } = await findUser(db, id);
        await confirm(terminal, options, `Set a new password for ${username}?`);
        const { removeSecondFactor } = options;
        const recovery = { userId: id, removeSecondFactor };
        const password = await recoverAccount(db, await secrets(), await operatorOf(db), recovery);
        return { json: { id, username, password }, text: `New password of ${username}: ${password}` };
      }),
    );
}

async function passwordFromInput(terminal: Terminal): Promise<string> {
  if (terminal.isInteractive)
    throw new CommandFailure(
      "Give the password on standard input: printf %s PASSWORD | gateway users create NAME --yes",
      ExitCode.usage,
    );
  return (await readInput(terminal)).replace(/\r?\n$/, "");
}

async function findUser(db: Db, id: number) {
  await bookCharges(db, id);
  const user = await db.user.findFirst({ where: { id, deleted_at: null }, select: shown });
  if (user === null)
    throw new CommandFailure(`There is no user ${id}. List the users with: gateway users list`);
  return user;
}

function readable(value: Date | string | number | bigint | null): string {
  if (value instanceof Date) return value.toISOString();
  return value === null ? "" : String(value);
}

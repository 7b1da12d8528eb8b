import { Role } from "@gateway/shared/accounts/roles";
import { TokenInput } from "@gateway/shared/accounts/token";
import type { Command } from "commander";
import { type CommonOptions, confirm, runOn, table, type Terminal } from "#cli/command.ts";
import { CommandFailure } from "#cli/failure.ts";
import { operatorOf } from "#cli/operator.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { createTokenFor, switchAnyToken } from "#domain/tokens/administration.ts";
import { describeToken } from "#domain/tokens/tokens.ts";
import type { Db } from "#platform/database/db.ts";
import { idArgument, limitArgument, type ListOptions } from "./arguments.ts";

const statusNames = ["", "enabled", "disabled", "expired", "exhausted"];

export function tokenCommands(program: Command, terminal: Terminal): void {
  const tokens = program
    .command("tokens")
    .description("Lists, shows, creates, disables and enables API keys.");
  tokens
    .command("list")
    .description("Lists keys by id, without the keys themselves.")
    .option("--user <id>", "only keys of this user", idArgument)
    .option("--limit <rows>", "maximum number of rows", limitArgument, 100)
    .option("--after <id>", "only keys with a higher id", idArgument, 0)
    .option("--json", "print JSON")
    .action((options: CommonOptions & ListOptions & { user?: number }) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        await bookCharges(db);
        const rows = await db.token.findMany({
          where: {
            deleted_at: null,
            id: { gt: options.after },
            ...(options.user === undefined ? {} : { user_id: options.user }),
          },
          orderBy: { id: "asc" },
          take: options.limit,
        });
        const described = rows.map((row) => describeToken(row, Role.root));
        const lines = described.map((token) => [
          String(token.id),
          String(token.user_id),
          token.name,
          token.key_hint,
          statusNames[token.status] ?? "",
          token.unlimited_quota ? "unlimited" : String(token.remain_quota),
        ]);
        return {
          json: described,
          text: table([["id", "user", "name", "key", "status", "points left"], ...lines]),
        };
      }),
    );
  tokens
    .command("show")
    .description("Shows a key's limits, without the key itself.")
    .argument("<id>", "id of the key", idArgument)
    .option("--json", "print JSON")
    .action((id: number, options: CommonOptions) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        const token = await findToken(db, id);
        const lines = Object.entries(token).map(([name, value]) => [
          name,
          typeof value === "object" ? JSON.stringify(value) : String(value),
        ]);
        return { json: token, text: table(lines) };
      }),
    );
  tokens
    .command("create")
    .description("Creates an unlimited key and prints it once.")
    .requiredOption("--user <id>", "the user who owns the key", idArgument)
    .argument("<name>")
    .option("--yes", "do not ask")
    .option("--json", "print JSON")
    .action((name: string, options: CommonOptions & { user: number }) =>
      runOn(terminal, options, async ({ database: { db }, secrets }) => {
        await confirm(terminal, options, `Create the key ${name} for user ${options.user}?`);
        const input = { ...TokenInput.parse({ name }), user_id: options.user };
        const deps = { db, secrets: await secrets() };
        const { row, key } = await createTokenFor(deps, await operatorOf(db), input, "UTC");
        return { json: { ...row, key }, text: key };
      }),
    );
  for (const [action, status] of [
    ["disable", 2],
    ["enable", 1],
  ] as const)
    tokens
      .command(action)
      .description(`${action === "disable" ? "Disables" : "Enables"} a key.`)
      .argument("<id>", "id of the key", idArgument)
      .option("--yes", "do not ask")
      .option("--json", "print JSON")
      .action((id: number, options: CommonOptions) =>
        runOn(terminal, options, async ({ database: { db } }) => {
          const token = await findToken(db, id);
          await confirm(
            terminal,
            options,
            `${action === "disable" ? "Disable" : "Enable"} the key ${token.name}?`,
          );
          const row = await switchAnyToken(db, await operatorOf(db), { id, status }, "UTC");
          return { json: row, text: `Key ${id} is ${action}d.` };
        }),
      );
}

async function findToken(db: Db, id: number) {
  await bookCharges(db);
  const token = await db.token.findFirst({ where: { id, deleted_at: null } });
  if (token === null)
    throw new CommandFailure(`There is no key ${id}. List the keys with: gateway tokens list`);
  return describeToken(token, Role.root);
}

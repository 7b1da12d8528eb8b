import type { Command } from "commander";
import { type CommonOptions, confirm, runOn, table, type Terminal } from "#cli/command.ts";
import { operatorOf } from "#cli/operator.ts";
import { toChannelInput } from "#domain/channels/channel-row.ts";
import { getChannel, patchChannel } from "#domain/channels/channels.ts";
import type { Db } from "#platform/database/db.ts";
import { idArgument, limitArgument, type ListOptions } from "./arguments.ts";
import { createChannelCommand } from "./create-channel.ts";

const statusNames = ["", "enabled", "disabled", "disabled automatically"];

export function channelCommands(program: Command, terminal: Terminal): void {
  const channels = program
    .command("channels")
    .description("Lists, shows, creates, disables and enables channels.");
  channels
    .command("list")
    .description("Lists channels by id.")
    .option("--limit <rows>", "maximum number of rows", limitArgument, 100)
    .option("--after <id>", "only channels with a higher id", idArgument, 0)
    .option("--json", "print JSON")
    .action((options: CommonOptions & ListOptions) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        const rows = await db.channel.findMany({
          where: { deleted_at: null, id: { gt: options.after } },
          orderBy: { id: "asc" },
          take: options.limit,
          select: {
            id: true,
            name: true,
            type: true,
            status: true,
            status_reason: true,
            priority: true,
            weight: true,
          },
        });
        const lines = rows.map((channel) => [
          String(channel.id),
          channel.name,
          String(channel.type),
          statusNames[channel.status] ?? "",
          String(channel.priority),
          String(channel.weight),
          channel.status_reason,
        ]);
        return {
          json: rows,
          text: table([["id", "name", "type", "status", "priority", "weight", "reason"], ...lines]),
        };
      }),
    );
  channels
    .command("show")
    .description("Shows a channel; secrets are masked.")
    .argument("<id>", "id of the channel", idArgument)
    .option("--json", "print JSON")
    .action((id: number, options: CommonOptions) =>
      runOn(terminal, options, async ({ database: { db } }) => {
        const channel = await shownChannel(db, id);
        const lines = Object.entries(channel).map(([name, value]) => [
          name,
          typeof value === "object" ? JSON.stringify(value) : String(value),
        ]);
        return { json: channel, text: table(lines) };
      }),
    );
  createChannelCommand(channels, terminal);
  for (const [action, status] of [
    ["disable", 2],
    ["enable", 1],
  ] as const)
    channels
      .command(action)
      .description(`${action === "disable" ? "Disables" : "Enables"} a channel.`)
      .argument("<id>", "id of the channel", idArgument)
      .option("--yes", "do not ask")
      .option("--json", "print JSON")
      .action((id: number, options: CommonOptions) =>
        runOn(terminal, options, async ({ database: { db } }) => {
          const { name } = await getChannel(db, id);
          await confirm(
            terminal,
            options,
            `${action === "disable" ? "Disable" : "Enable"} the channel ${name}?`,
          );
          await patchChannel(db, await operatorOf(db), id, { status });
          return { json: await shownChannel(db, id), text: `Channel ${id} is ${action}d.` };
        }),
      );
}

async function shownChannel(db: Db, id: number) {
  const channel = await getChannel(db, id);
  return {
    id,
    status: channel.status,
    status_reason: channel.status_reason,
    used_quota: channel.used_quota,
    keys: channel.keys.map((key) => key.key_hint),
    ...toChannelInput(channel),
  };
}

/** Copy, export and import of channels. Only root can export keys, and every export is audited. */
import { setImmediate as nextTurn } from "node:timers/promises";
import {
  type ChannelExport,
  type ChannelImportAnswer,
  PortableChannel,
} from "@gateway/shared/channels/channel-batch";
import { issueOf } from "@gateway/shared/errors/issue";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, factsOf, GatewayError, invalidRequest } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";
import { channelParts, type ChannelWithParts, toChannelInput, toFullChannelInput } from "./channel-row.ts";
import { dropMasks } from "./channel-secrets.ts";
import { type ChannelDeps, createChannel, getChannel } from "./channels.ts";
import { channelKeyContext } from "./selection/load-channels.ts";

const MAX_NAME = 128;

/**
 * Copies a channel with its keys. The copy is disabled, so that an operator can check it before it serves
 * calls.
 */
export async function copyChannel(deps: ChannelDeps, actor: Actor, id: number): Promise<ChannelWithParts> {
  const row = await getChannel(deps.db, id);
  const ending = "_copy";
  const name = row.name.slice(0, MAX_NAME - ending.length) + ending;
  const input = { ...toFullChannelInput(deps.secrets, row), name, key: openKeys(deps.secrets, row) };
  return createChannel(deps, actor, input, { status: 2, keyLater: row.keys.length === 0 });
}

/**
 * Exports channels.
 * @param withKeys the caller must have checked that the actor is root
 */
export async function exportChannels(
  deps: Pick<ChannelDeps, "db" | "secrets">,
  actor: Actor,
  { ids, withKeys }: { ids: readonly number[] | undefined; withKeys: boolean },
): Promise<ChannelExport> {
  const rows = await deps.db.channel.findMany({
    where: { deleted_at: null, ...(ids === undefined ? {} : { id: { in: [...ids] } }) },
    orderBy: { id: "asc" },
    include: channelParts,
  });
  await noteExport(deps.db, actor, rows, withKeys);
  return {
    version: 1,
    exported_time: unixTime(currentTime()),
    with_keys: withKeys,
    channels: rows.map((row) => ({
      ...(withKeys ? toFullChannelInput(deps.secrets, row) : toChannelInput(row)),
      // A channel that was disabled automatically is exported as enabled; one that a user disabled stays
      // disabled.
      status: row.status === 2 ? 2 : 1,
      key: withKeys ? openKeys(deps.secrets, row) : "",
    })),
  };
}

function noteExport(db: Db, actor: Actor, rows: ChannelWithParts[], withKeys: boolean): Promise<void> {
  const after = { count: rows.length, included_credentials: withKeys ? "yes" : "no" };
  const [only] = rows;
  return writeAudit(db, {
    actor,
    action: withKeys ? "channel.export_keys" : "channel.export",
    targetType: "channel",
    targetId: rows.length === 1 && only !== undefined ? only.id : 0,
    after,
  });
}

/** Imports channels. A channel that lacks a required key is stored disabled until a user enters it. */
export async function importChannels(
  deps: ChannelDeps,
  actor: Actor,
  channels: readonly unknown[],
): Promise<ChannelImportAnswer> {
  const answer: ChannelImportAnswer = { created: [], failed: [] };
  for (const [index, each] of channels.entries()) {
    const parsed = PortableChannel.safeParse(each);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue?.path.join(".") ?? "";
      // Without a field, the entry is not a channel object.
      const found = issue === undefined || field === "" ? undefined : issueOf(issue, each);
      const error = invalidRequest({ reason: "json_invalid", ...found, field });
      answer.failed.push({ index, name: nameOf(each), field, ...factsOf(error) });
      // Finding all faults of one takes milliseconds, and there may be thousands.
      await nextTurn();
      continue;
    }
    const { status, ...given } = parsed.data;
    // A file exported without keys contains no other secrets either: users must enter those too.
    const { input, kept } = dropMasks(given);
    const lacksKey = input.key === "" && deps.providers.get(input.type)?.keyless !== true;
    const needsKey = lacksKey || kept.length > 0;
    try {
      const made = await createChannel(deps, actor, input, {
        status: needsKey || status === 2 ? 2 : 1,
        keyLater: lacksKey,
      });
      answer.created.push({ index, id: made.id, name: made.name, needs_key: needsKey });
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const [field = ""] = Object.keys(error.issues ?? {});
      answer.failed.push({ index, name: input.name, field, ...factsOf(error) });
    }
  }
  return answer;
}

function nameOf(entry: unknown): string {
  if (typeof entry !== "object" || entry === null || !("name" in entry)) return "";
  return typeof entry.name === "string" ? entry.name.slice(0, MAX_NAME) : "";
}

/** Returns all keys of a channel in plain text, one per line. */
function openKeys(secrets: Secrets, row: ChannelWithParts): string {
  try {
    return row.keys.map((key) => secrets.decrypt(key.key_encrypted, channelKeyContext(row.id))).join("\n");
  } catch (cause) {
    throw conflict({ reason: "named_channel_key_unreadable", channel: row.name }, { cause });
  }
}

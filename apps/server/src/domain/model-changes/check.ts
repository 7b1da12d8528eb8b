import { createHash } from "node:crypto";
import { type Reason, reasonOf } from "@gateway/shared/reasons";
import type { ChannelForTest, ChannelWithParts } from "#domain/channels/channel-row.ts";
import { type ChannelDeps, getChannel } from "#domain/channels/channels.ts";
import type { KeyDeps } from "#domain/channels/key-for-test.ts";
import { decryptChannel } from "#domain/channels/runs/check-channel.ts";
import type { Done } from "#domain/channels/runs/runner.ts";
import { parseMapping } from "#domain/channels/selection/load-channels.ts";
import { raiseNotice } from "#domain/notices/notices.ts";
import { GatewayError, reasonOfError } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { storableFacts, storableText } from "#platform/database/storable-text.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import { compare } from "./compare.ts";

/** Compares stored channels with the model lists of their providers, and remembers what changed. */
export interface ModelCheckDeps extends ChannelDeps, KeyDeps {
  /** Returns the names that the provider lists. Throws a GatewayError. */
  fetchModels(channel: ChannelForTest): Promise<string[]>;
}

/** Names of one list. Longer lists are cut. */
const MOST_LISTED = 10_000;
const MOST_SEEN = 20_000;
const LONGEST_MESSAGE = 500;

/**
 * Checks one channel of a run. The first list of an address is only remembered: what it contains is not new.
 * What a later list adds or removes raises a notice.
 */
export async function checkModelList(deps: ModelCheckDeps, id: number): Promise<Done> {
  const begun = performance.now();
  const row = await getChannel(deps.db, id);
  const list = await fetchList(deps, row);
  const duration = Math.round(performance.now() - begun);
  if ("outcome" in list) {
    await noteFailure(deps, id, list.outcome, list.message);
    return { ...list, model: "", duration };
  }
  const { added, removed } = await deps.db.$transaction((tx) => noteList(tx, deps, row, list.names));
  const message = reasonOf("modelListCompared", { added: added.length, removed: removed.length });
  return { outcome: "ok", model: "", duration, message };
}

async function fetchList(
  deps: ModelCheckDeps,
  row: ChannelWithParts,
): Promise<{ names: string[] } | { outcome: "failed" | "skipped"; message: Reason }> {
  if (deps.providers.get(row.type)?.listing === "none")
    return { outcome: "skipped", message: reasonOf("modelsNotListed") };
  try {
    const names = await deps.fetchModels(decryptChannel(deps, row));
    // A channel could not have any other name as a model.
    const usable = names.filter((name) => name.length <= 160 && /^[^*\p{C}]+$/u.test(name));
    // An empty list is a fault of the provider rather than the end of all its models.
    if (usable.length === 0) return { outcome: "failed", message: reasonOf("modelListEmpty") };
    return { names: usable.slice(0, MOST_LISTED) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { outcome: "failed", message: reasonOfError(error) };
  }
}

async function noteFailure(
  { db }: ModelCheckDeps,
  id: number,
  outcome: "failed" | "skipped",
  { text, facts }: Reason,
): Promise<void> {
  const data = {
    checked_time: currentTime(),
    outcome,
    message: storableText(text, LONGEST_MESSAGE),
    message_facts: storableFacts(facts, LONGEST_MESSAGE),
  };
  await db.channelModelCheck.upsert({
    where: { channel_id: id },
    create: { channel_id: id, ...data },
    update: data,
  });
}

/** Stores a list and what changed since the last one. Returns the changes that are new. */
async function noteList(
  tx: Prisma.TransactionClient,
  { providers }: ModelCheckDeps,
  row: ChannelWithParts,
  names: string[],
): Promise<{ added: string[]; removed: string[] }> {
  const id = row.id;
  const source = hashOf(`${row.type}\n${row.base_url}\n${row.other}`);
  const last = await tx.channelModelCheck.findUnique({ where: { channel_id: id } });
  const known = last?.source === source ? new Set(last.seen) : undefined;
  const now = currentTime();
  const data = {
    checked_time: now,
    outcome: "ok",
    message: "",
    message_facts: [],
    source,
    seen: [...new Set([...names, ...(known ?? [])])].slice(0, MOST_SEEN),
  };
  await tx.channelModelCheck.upsert({
    where: { channel_id: id },
    create: { channel_id: id, ...data },
    update: data,
  });
  const mapping = parseMapping(row.model_mapping as Record<string, string>);
  const models = row.models.map((entry) => entry.model);
  const { offered, missing } = compare({ models, mapping }, names);
  if (known === undefined) await tx.channelModelChange.deleteMany({ where: { channel_id: id } });
  else
    await tx.channelModelChange.deleteMany({
      where: {
        channel_id: id,
        NOT: {
          OR: [
            { kind: "added", model: { in: offered } },
            { kind: { not: "added" }, model: { in: missing } },
          ],
        },
      },
    });
  const added = known === undefined ? [] : offered.filter((name) => !known.has(name));
  const wasListed = compare({ models: missing, mapping }, [...(known ?? [])]).missing;
  const unlisted = new Set(wasListed);
  const removed = missing.filter((model) => !unlisted.has(model));
  const found = [
    ...added.map((model) => ({ model, kind: "added" })),
    ...removed.map((model) => ({ model, kind: "removed" })),
    ...wasListed.map((model) => ({ model, kind: "unlisted" })),
  ];
  const stored = await tx.channelModelChange.createManyAndReturn({
    data: found.map((change) => ({ ...change, channel_id: id, found_time: now })),
    skipDuplicates: true,
    select: { model: true, kind: true },
  });
  const changes = {
    added: stored.filter(({ kind }) => kind === "added").map(({ model }) => model),
    removed: stored.filter(({ kind }) => kind === "removed").map(({ model }) => model),
  };
  const words = [
    ...changes.added.map((model) => `+${model}`),
    ...changes.removed.map((model) => `−${model}`),
  ];
  if (words.length > 0)
    await raiseNotice(tx, {
      event: "models-changed",
      // Channels of one provider find the same changes: one entry counts them.
      topic: `models:${hashOf(`${source} ${words.join(" ")}`).slice(0, 32)}`,
      facts: {
        id: String(id),
        name: row.name,
        provider: providers.get(row.type)?.label ?? row.name,
        added: String(changes.added.length),
        removed: String(changes.removed.length),
        models: words.join(", "),
      },
    });
  return changes;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

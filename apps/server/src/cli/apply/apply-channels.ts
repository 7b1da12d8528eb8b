import { timingSafeEqual } from "node:crypto";
import { ChannelInput, ChannelStatus } from "@gateway/shared/channels/channel";
import { issueOf } from "@gateway/shared/errors/issue";
import { type ChannelWithParts, toFullChannelInput } from "#domain/channels/channel-row.ts";
import { maskPrivate } from "#domain/channels/channel-secrets.ts";
import {
  createChannel,
  deleteChannel,
  editChannel,
  getChannel,
  patchChannel,
} from "#domain/channels/channels.ts";
import { keysOf } from "#domain/channels/keys.ts";
import type { Providers } from "#providers/registry.ts";
import { type ApplyContext, changedNames, collectFaults, fieldChanges, hidden } from "./changes.ts";
import type { ChannelEntry, GatewayFile } from "./gateway-file.ts";
import { sentence } from "./read-gateway-file.ts";

/** Writes the channels of the file. They are identified by name. */
export async function applyChannels(context: ApplyContext, channels: GatewayFile["channels"]): Promise<void> {
  const ids = await idsByName(context);
  for (const [name, entry] of Object.entries(channels ?? {}))
    await collectFaults(context, ["channels", name], async () => {
      const [id, other] = ids.get(name) ?? [];
      if (other !== undefined)
        context.faults.push({
          path: ["channels", name],
          text: `channels.${name}: Several channels have this name. Rename the others first.`,
        });
      else await applyChannel(context, name, entry, id);
    });
}

export async function pruneChannels(context: ApplyContext, channels: GatewayFile["channels"]): Promise<void> {
  for (const [name, ids] of await idsByName(context)) {
    if (Object.hasOwn(channels ?? {}, name)) continue;
    for (const id of ids) {
      await deleteChannel(context.tx, context.actor, id);
      context.changes.push({ kind: "channel", name, action: "delete", fields: [] });
    }
  }
}

async function idsByName({ tx }: ApplyContext): Promise<Map<string, number[]>> {
  const rows = await tx.channel.findMany({
    where: { deleted_at: null },
    select: { id: true, name: true },
    orderBy: { id: "asc" },
  });
  const ids = new Map<string, number[]>();
  for (const { id, name } of rows) ids.set(name, [...(ids.get(name) ?? []), id]);
  return ids;
}

async function applyChannel(
  context: ApplyContext,
  name: string,
  { enabled, key, type, models, groups, ...rest }: ChannelEntry,
  id: number | undefined,
): Promise<void> {
  const path = ["channels", name];
  const number = type === undefined ? undefined : providerType(context.providers, type);
  if (type !== undefined && number === undefined) {
    context.faults.push({ path: [...path, "type"], text: unknownProvider(`channels.${name}.type: `) });
    return;
  }
  const given = withoutUndefined({
    ...rest,
    type: number,
    models: models && [...new Set(models)],
    groups: groups && [...new Set(groups)].toSorted(),
  });
  const keyText = [key ?? []].flat().join("\n");
  if (id === undefined) await addChannel(context, name, { ...given, key: keyText }, enabled);
  else await changeChannel(context, await getChannel(context.tx, id), { given, keyText, enabled });
}

async function addChannel(
  context: ApplyContext,
  name: string,
  given: Partial<ChannelInput>,
  enabled = true,
): Promise<void> {
  const path = ["channels", name];
  const parsed = ChannelInput.safeParse({ ...given, name });
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const place = [...path, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
      context.faults.push({ path: place, text: sentence(place, issueOf(issue, { ...given, name })) });
    }
    return;
  }
  const { tx, secrets, providers, actor } = context;
  await createChannel({ db: tx, secrets, providers }, actor, parsed.data, { status: enabled ? 1 : 2 });
  const after = {
    ...maskSecrets(parsed.data),
    ...(given.key ? { key: hidden } : {}),
    ...(enabled ? {} : { enabled }),
  };
  const names = Object.keys(given).filter((field) => field !== "key" || given.key !== "");
  const fields = fieldChanges(context, path, [...names, ...(enabled ? [] : ["enabled"])], { after });
  context.changes.push({ kind: "channel", name, action: "create", fields });
}

async function changeChannel(
  context: ApplyContext,
  row: ChannelWithParts,
  {
    given,
    keyText,
    enabled,
  }: { given: Partial<ChannelInput>; keyText: string; enabled: boolean | undefined },
): Promise<void> {
  const { tx, secrets, providers, actor } = context;
  const deps = { db: tx, secrets, providers };
  const before = toFullChannelInput(secrets, row);
  const sorted = { ...before, groups: before.groups.toSorted() };
  const after = { ...sorted, ...given };
  const names = changedNames(sorted, after);
  const hasNewKey = keyText !== "" && !hasKeys(context, row, keyText);
  if (names.length > 0 || hasNewKey)
    await editChannel(deps, actor, row.id, (now) => ({ ...now, ...given, key: hasNewKey ? keyText : "" }));
  // A channel that was disabled automatically stays so until its key changes: the provider has rejected it.
  const isOn = row.status === ChannelStatus.enabled || (row.status === 3 && !hasNewKey);
  const isSwitched = enabled === undefined ? false : enabled !== isOn;
  if (isSwitched && enabled !== undefined) await patchChannel(tx, actor, row.id, { status: enabled ? 1 : 2 });
  const fields = [
    ...fieldChanges(context, ["channels", row.name], names, {
      before: maskSecrets(sorted),
      after: maskSecrets(after),
    }),
    ...(hasNewKey ? [{ name: "key", before: hidden, after: hidden }] : []),
    ...(isSwitched ? [{ name: "enabled", before: !enabled, after: enabled }] : []),
  ];
  if (fields.length > 0) context.changes.push({ kind: "channel", name: row.name, action: "change", fields });
}

/** Compares keyed hashes, so that stored keys are not decrypted. */
function hasKeys({ secrets }: ApplyContext, row: ChannelWithParts, keyText: string): boolean {
  const wanted = keysOf(keyText).map((key) => secrets.hash(key));
  return (
    wanted.length === row.keys.length &&
    row.keys.every(({ key_hash }, index) => timingSafeEqual(key_hash, wanted[index] ?? new Uint8Array(32)))
  );
}

function maskSecrets(channel: Omit<ChannelInput, "key" | "key_mode">): object {
  return { ...channel, ...maskPrivate(channel) };
}

function withoutUndefined<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** Returns the number of a channel type, given as this number, or as id or name of the provider. */
export function providerType(providers: Providers, given: number | string): number | undefined {
  const text = String(given).toLowerCase();
  if (/^\d+$/.test(text)) return Number(text);
  return [...providers.values()].find(({ id, label }) => id === text || label.toLowerCase() === text)?.type;
}

export function unknownProvider(place: string): string {
  return `${place}No provider has this name. Write its ID or its number, as in docs/provider-*.md.`;
}

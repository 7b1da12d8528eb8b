/** Requests that change many channels at once. */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import type {
  ChannelBatchAnswer,
  ChannelEditAnswer,
  ChannelEditForm,
  ChannelExport,
  ChannelImportAnswer,
  ChannelTagAnswer,
} from "@gateway/shared/channels/channel-batch";
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { refreshChannels } from "#features/channels/api.ts";
import { undoNameOf } from "#features/channels/use-channel-switch.ts";
import { asList, asSent, http } from "#lib/http.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { offerUndo, offerUndoOfAll } from "#ui/undo.tsx";

export const deleteChannels = (ids: number[]) =>
  http.del("/channel/batch", asSent<ChannelBatchAnswer>(), { ids });

export const deleteDisabledChannels = () => http.del("/channel/disabled", asSent<ChannelBatchAnswer>());

export const switchChannels = (ids: number[], on: boolean) =>
  http.put(`/channel/batch/status/${on ? "enable" : "disable"}`, asSent<ChannelBatchAnswer>(), { ids });

/** Reports that these channels were disabled, with a button that enables them again. */
export function offerToEnable(client: QueryClient, message: string, ids: number[]): void {
  offerUndo("channels", message, async () => {
    for (let at = 0; at < ids.length; at += portion) await switchChannels(ids.slice(at, at + portion), true);
    await refreshChannels(client);
  });
}

/** Reports that these channels were edited, with a button that restores their previous values. */
export function offerToRestore(
  client: QueryClient,
  texts: { all: string; one: string },
  changed: ChannelEditAnswer["changed"],
): void {
  const parts = changed.map(({ id, before }) => ({
    object: undoNameOf(id),
    undo: () => http.put(`/channel/${id}`, asSent<ChannelRow>(), before),
  }));
  offerUndoOfAll("channels", texts, parts, () => refreshChannels(client));
}

export const copyChannel = (id: number) => http.post(`/channel/${id}/copy`, asSent<ChannelRow>());

/** Target of an edit: selected channels, or all channels of a tag. */
export type EditTarget = { kind: "ids"; ids: number[] } | { kind: "tag"; tag: string };

export type EditOrder = { edit: ChannelEditForm; key: string; remove_missing: boolean; preview: boolean };

const tagPath = (tag: string) => `/channel_tag/${encodeURIComponent(tag)}`;

/** Maximum number of channels per request. */
const portion = 250;

export async function editMany(target: EditTarget, order: EditOrder): Promise<ChannelTagAnswer> {
  if (target.kind === "tag") return http.put(tagPath(target.tag), asSent<ChannelTagAnswer>(), order);
  const { edit, preview } = order;
  const whole: ChannelEditAnswer = { preview, changed: [], unchanged: 0, failed: [] };
  for (let at = 0; at < target.ids.length; at += portion) {
    const ids = target.ids.slice(at, at + portion);
    const part = await http.put("/channel/batch", asSent<ChannelEditAnswer>(), { ids, edit, preview });
    whole.changed.push(...part.changed);
    whole.unchanged += part.unchanged;
    whole.failed.push(...part.failed);
  }
  return { ...whole, added: [], removed: [] };
}

export const tagMembersQuery = (tag: string) =>
  queryOptions({
    queryKey: [...allChannels, "tag", tag],
    queryFn: () => http.get(`${tagPath(tag)}/list`, asList<ChannelRow[]>()),
  });

export const switchTag = (tag: string, on: boolean) =>
  http.put(`${tagPath(tag)}/status/${on ? "enable" : "disable"}`, asSent<ChannelBatchAnswer>());

export const rankTag = (tag: string, type: "priority" | "weight", value: number) =>
  http.put(`${tagPath(tag)}/priority`, asSent<ChannelBatchAnswer>(), { type, value });

export const deleteTag = (tag: string) => http.del(tagPath(tag), asSent<ChannelBatchAnswer>());

export const leaveTag = (id: number) => http.del(`/channel/${id}/tag`, asSent<ChannelRow>());

export async function exportChannels(ids: number[] | undefined, withKeys: boolean): Promise<ChannelExport> {
  const path = withKeys ? "/channel/export/keys" : "/channel/export";
  if (ids === undefined || ids.length <= portion) return http.post(path, asSent<ChannelExport>(), { ids });
  const whole = await http.post(path, asSent<ChannelExport>(), { ids: ids.slice(0, portion) });
  for (let at = portion; at < ids.length; at += portion) {
    const part = await http.post(path, asSent<ChannelExport>(), { ids: ids.slice(at, at + portion) });
    whole.channels.push(...part.channels);
  }
  return whole;
}

export const importChannels = (channels: unknown[]) =>
  http.post("/channel/import", asSent<ChannelImportAnswer>(), { channels });

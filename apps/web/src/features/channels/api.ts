/** Queries and mutations of channels, and the refresh of the displayed lists. */
import type {
  ChannelEventPage,
  ChannelForm,
  ChannelKeyPatch,
  ChannelKeyRow,
  ChannelPage,
  ChannelPatch,
  ChannelQuery,
  ChannelRow,
} from "@gateway/shared/channels/channel";
import type { ChannelTag } from "@gateway/shared/channels/channel-batch";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import type { z } from "zod";
import { asList, asPage, asSent, http } from "#lib/http.ts";
import { allChannels } from "#lib/queries/channels.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { inForm } from "#lib/query-client.ts";

const lists = [...allChannels, "list"] as const;

export const channelListQuery = (query: Partial<ChannelQuery>) =>
  queryOptions({
    queryKey: [...lists, query],
    queryFn: () => http.get("/channel", asPage<ChannelPage>(), query),
    placeholderData: keepPreviousData,
    // The gateway also disables channels, and pauses them for seconds, automatically.
    refetchInterval: ({ state }) => (state.data?.data.some((row) => row.frozen.length > 0) ? 3_000 : 30_000),
  });

export const channelQuery = (id: number) =>
  queryOptions({
    queryKey: [...allChannels, "one", id],
    queryFn: () => http.get(`/channel/${id}`, asSent<ChannelRow>()),
    staleTime: 0,
    gcTime: 0,
  });

/** The same channel for its page. Refetched, because the gateway changes channels automatically. */
export const oneChannelQuery = (id: number) =>
  queryOptions({
    queryKey: [...allChannels, "page", id],
    queryFn: () => http.get(`/channel/${id}`, asSent<ChannelRow>()),
    refetchInterval: 10_000,
    meta: { quiet: true },
  });

export const keysQuery = (id: number) =>
  queryOptions({
    queryKey: [...allChannels, "keys", id],
    queryFn: () => http.get(`/channel/${id}/keys`, asList<ChannelKeyRow[]>()),
  });

const eventsAtOnce = 30;

/** Newest first, page by page. */
export const eventsQuery = (id: number) =>
  infiniteQueryOptions({
    queryKey: [...allChannels, "events", id],
    queryFn: ({ pageParam }) =>
      http.get(`/channel/${id}/events`, asPage<ChannelEventPage>(), { page: pageParam, size: eventsAtOnce }),
    initialPageParam: 1,
    getNextPageParam: (last) => (last.page * last.size < last.total_count ? last.page + 1 : undefined),
  });

/** The tags with the sums of their channels. */
export const tagsQuery = queryOptions({
  queryKey: [...allChannels, "tag-sums"],
  queryFn: () => http.get("/channel_tag/_all", asList<ChannelTag[]>()),
});

export const tagNamesQuery = queryOptions({
  ...tagsQuery,
  // "tag2" comes before "tag10".
  select: (tags) =>
    tags.map((each) => each.tag).toSorted((a, b) => a.localeCompare(b, undefined, { numeric: true })),
  staleTime: 60_000,
});

export function useProvider(type: number): ProviderInfo | undefined {
  return useQuery(providersQuery).data?.find((provider) => provider.type === type);
}

/** Changes a channel in every cached list and on its page without a request. */
export function patchCachedRow(
  client: QueryClient,
  id: number,
  change: (row: ChannelRow) => ChannelRow,
): void {
  client.setQueryData(oneChannelQuery(id).queryKey, (row) => row && change(row));
  client.setQueriesData<z.output<typeof ChannelPage>>({ queryKey: lists }, (page) =>
    page ? { ...page, data: page.data.map((row) => (row.id === id ? change(row) : row)) } : page,
  );
}

export function refreshChannels(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: allChannels });
}

export const saveChannel = (id: number | undefined, input: ChannelForm): Promise<ChannelRow> =>
  id === undefined
    ? http.post("/channel", asSent<ChannelRow>(), input)
    : http.put(`/channel/${id}`, asSent<ChannelRow>(), input);

/** Deletes the stored keys and stores these. */
export const replaceKeys = (id: number, key: string): Promise<ChannelRow> =>
  http.put(`/channel/${id}`, asSent<ChannelRow>(), { key, key_mode: "replace" });

export const patchChannel = (id: number, patch: ChannelPatch): Promise<ChannelRow> =>
  http.patch(`/channel/${id}`, asSent<ChannelRow>(), patch);

export const deleteChannel = (id: number): Promise<null> => http.del(`/channel/${id}`, asSent<null>());

export function useSaveChannel() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, input }: { id: number | undefined; input: ChannelForm }) => saveChannel(id, input),
    meta: inForm,
    onSuccess: () => refreshChannels(client),
  });
}

/**
 * Changes status, priority or weight of a channel.
 * @param failed message for a failure: what was attempted
 */
export function usePatchChannel(failed?: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, patch }: { id: number; patch: ChannelPatch }) => patchChannel(id, patch),
    meta: { failed },
    onSuccess: (changed) => patchCachedRow(client, changed.id, () => changed),
  });
}

/** Changes a key of a channel: enabled, weight, or deleted. Shows the response and refreshes the list. */
export function useKeyChanges(id: number) {
  const client = useQueryClient();
  const after = async () => {
    await client.invalidateQueries({ queryKey: keysQuery(id).queryKey });
    await client.invalidateQueries({ queryKey: lists });
  };
  const patch = useMutation({
    mutationFn: ({ key, change }: { key: number; change: ChannelKeyPatch }) =>
      http.patch(`/channel/${id}/keys/${key}`, asList<ChannelKeyRow[]>(), change),
    onSuccess: after,
  });
  const remove = useMutation({
    mutationFn: (key: number) => http.del(`/channel/${id}/keys/${key}`, asSent<null>()),
    onSuccess: after,
  });
  return { patch, remove };
}

/** Fetches a channel that is named in the address but not in the list. */
export const fetchChannel = (id: string) =>
  http.get(`/channel/${encodeURIComponent(id)}`, asSent<ChannelRow>());

/**
 * The ids of all channels of a filter, for changes beyond one
 * page. Fetched once, so that a preview stays valid.
 */
export const channelIdsQuery = (query: Partial<ChannelQuery>) =>
  queryOptions({
    queryKey: [...allChannels, "ids", query],
    queryFn: () => http.get("/channel/ids", asList<number[]>(), query),
    staleTime: 0,
    gcTime: 0,
  });

/** Differences between the models of channels and the model lists of their providers. */
import { z } from "zod";
import { PageQuery, queryInt, UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/**
 * `added`: in the list since an earlier check, and not a model of the channel. `removed`: a model of the
 * channel that was in the list and no longer is. `unlisted`: a model of the channel that was never in the list,
 * which can be an alias that the provider accepts.
 */
export const ModelChangeKind = z.enum(["added", "removed", "unlisted"]);
export type ModelChangeKind = z.infer<typeof ModelChangeKind>;

/** Query of GET /api/channel/model_changes. */
export const ModelChangeQuery = z.object({
  page: PageQuery.shape.page,
  size: queryInt(z.int().min(1).max(100)).default(20),
  /** 1 = only ignored changes; 0 = only the others. */
  ignored: queryInt(z.int().min(0).max(1)).catch(0).default(0),
});
export type ModelChangeQuery = z.infer<typeof ModelChangeQuery>;

/** The changes of one channel, names in alphabetical order. */
export const ChannelModelChanges = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  channel_type: z.int(),
  added: z.array(z.string()),
  removed: z.array(z.string()),
  unlisted: z.array(z.string()),
});
export type ChannelModelChanges = z.infer<typeof ChannelModelChanges>;

/** A channel whose provider sent no list at the last check. */
export const UncheckedChannel = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  outcome: z.enum(["failed", "skipped"]),
  message: z.string(),
  message_facts: ReasonFacts,
});
export type UncheckedChannel = z.infer<typeof UncheckedChannel>;

/** GET /api/channel/model_changes: channels with changes, by name. Manually disabled channels are left out. */
export const ModelChangePage = z.object({
  data: z.array(ChannelModelChanges),
  page: z.int(),
  size: z.int(),
  total_count: z.int(),
  /** Number of changes of all channels that are not ignored. */
  counts: z.object({ added: z.int(), removed: z.int(), unlisted: z.int() }),
  ignored_count: z.int(),
  /** Time of the last check; null before the first. */
  checked_time: UnixTime.nullable(),
  /** Number of channels whose provider sent a list at their last check. */
  checked_count: z.int(),
  /** At most 100. */
  unchecked: z.array(UncheckedChannel),
  unchecked_count: z.int(),
});
export type ModelChangePage = z.infer<typeof ModelChangePage>;

/** Body of PUT /api/channel/:id/model_changes: ignores changes of a channel, or shows them again. */
export const ModelChangeIgnore = z.object({
  models: z.array(z.string().min(1).max(160)).min(1).max(1_000),
  ignored: z.boolean(),
});
export type ModelChangeIgnore = z.infer<typeof ModelChangeIgnore>;

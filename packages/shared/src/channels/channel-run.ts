/**
 * Background runs over many channels that outlive the request, with progress: tests, balance refreshes and
 * comparisons with the providers' lists of models.
 */
import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

const RowId = z.int().min(1).max(2_147_483_647);

export const ChannelRunKind = z.enum(["test", "balance", "models"]);
export type ChannelRunKind = z.infer<typeof ChannelRunKind>;

/** Body of POST /api/channel/run. Without `ids` and `tag`: every channel that was not disabled manually. */
export const ChannelRunInput = z.object({
  kind: ChannelRunKind,
  ids: z.array(RowId).min(1, because("channels_choose")).max(10_000).optional(),
  tag: z.string().trim().max(64).default(""),
  /** Models to test once per channel. Empty = the channel's test model. */
  models: z.array(z.string().trim().min(1).max(160)).max(1_000).default([]),
});
export type ChannelRunInput = z.infer<typeof ChannelRunInput>;
export type ChannelRunForm = z.input<typeof ChannelRunInput>;

/** `interrupted`: the node that ran it has stopped. */
export const ChannelRunStatus = z.enum(["running", "done", "cancelled", "interrupted"]);

export const ChannelRun = z.object({
  id: z.int(),
  kind: ChannelRunKind,
  status: ChannelRunStatus,
  /** Null when the scheduler started it. */
  username: z.string().nullable(),
  created_time: UnixTime,
  ended_time: UnixTime.nullable(),
  total: z.int(),
  ok: z.int(),
  failed: z.int(),
  /** Neither success nor failure: nothing could be tested. */
  skipped: z.int(),
});
export type ChannelRun = z.infer<typeof ChannelRun>;

export const ChannelRunItem = z.object({
  position: z.int(),
  channel_id: z.int(),
  channel_name: z.string(),
  model: z.string(),
  outcome: z.enum(["waiting", "ok", "failed", "skipped"]),
  /** Milliseconds. */
  duration: z.int(),
  message: z.string(),
  message_facts: ReasonFacts,
});
export type ChannelRunItem = z.infer<typeof ChannelRunItem>;

/**
 * GET /api/channel/run/:id: a run and its finished items. Events of /api/channel/run/:id/events have the same
 * shape, with the items finished since the previous event.
 */
export const ChannelRunDetail = z.object({ run: ChannelRun, items: z.array(ChannelRunItem) });
export type ChannelRunDetail = z.infer<typeof ChannelRunDetail>;

export const ChannelTestRow = z.object({
  id: z.int(),
  model: z.string(),
  created_time: UnixTime,
  ok: z.boolean(),
  /** Milliseconds. */
  duration: z.int(),
  message: z.string(),
});
export type ChannelTestRow = z.infer<typeof ChannelTestRow>;

/** The most recent tests of a channel, oldest first, for a sparkline. */
export const ChannelPulse = z.object({
  channel_id: z.int(),
  points: z.array(z.object({ ok: z.boolean(), duration: z.int(), at: UnixTime })),
});
export type ChannelPulse = z.infer<typeof ChannelPulse>;

export const ChannelBalance = z.object({ balance: z.number(), currency: z.string() });
export type ChannelBalance = z.infer<typeof ChannelBalance>;

import { z } from "zod";
import { because } from "#errors/issue.ts";
import { UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** Work on many channels at once that outlives the request: tests and balances, with progress that can be watched. */

const RowId = z.int().min(1).max(2_147_483_647);

export const ChannelRunKind = z.enum(["test", "balance"]);
export type ChannelRunKind = z.infer<typeof ChannelRunKind>;

/** POST /api/channel/run. Without `ids` and `tag`: every channel that no person switched off. */
export const ChannelRunInput = z.object({
  kind: ChannelRunKind,
  ids: z.array(RowId).min(1, because("channels_choose")).max(10_000).optional(),
  tag: z.string().trim().max(64).default(""),
  /** Models to test, each once per channel; none: what the channel is usually tested with. */
  models: z.array(z.string().trim().min(1).max(160)).max(1_000).default([]),
});
export type ChannelRunInput = z.infer<typeof ChannelRunInput>;
export type ChannelRunForm = z.input<typeof ChannelRunInput>;

/** `interrupted`: the node that did it is gone. */
export const ChannelRunStatus = z.enum(["running", "done", "cancelled", "interrupted"]);

export const ChannelRun = z.object({
  id: z.int(),
  kind: ChannelRunKind,
  status: ChannelRunStatus,
  /** Null when the clock started it. */
  username: z.string().nullable(),
  created_time: UnixTime,
  ended_time: UnixTime.nullable(),
  total: z.int(),
  ok: z.int(),
  failed: z.int(),
  /** Neither good nor bad: nothing could be asked. */
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
 * GET /api/channel/run/:id: the run and what is finished of it. Every event of /api/channel/run/:id/events has this shape
 * too, with what was finished since the last one.
 */
export const ChannelRunDetail = z.object({ run: ChannelRun, items: z.array(ChannelRunItem) });
export type ChannelRunDetail = z.infer<typeof ChannelRunDetail>;

/** One stored test of a channel. */
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

/** The last tests of a channel, oldest first, for a small line. */
export const ChannelPulse = z.object({
  channel_id: z.int(),
  points: z.array(z.object({ ok: z.boolean(), duration: z.int(), at: UnixTime })),
});
export type ChannelPulse = z.infer<typeof ChannelPulse>;

export const ChannelBalance = z.object({ balance: z.number(), currency: z.string() });
export type ChannelBalance = z.infer<typeof ChannelBalance>;

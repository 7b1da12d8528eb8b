import type { UpstreamError } from "#dialects/ir.ts";
import { announce } from "#platform/announcements.ts";
import type { Db } from "#platform/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";

/**
 * How channels are doing, as this node saw it: freezes after failures, and the evidence for switching one off.
 * Freezes live in memory; a disable is written down with its reason and announced.
 */
export interface Frozen {
  model: string;
  /** Milliseconds since 1970. */
  until: number;
  reason: string;
}

export interface Health {
  frozen(channelId: number, model: string): boolean;
  /** All freezes of a channel that still hold. */
  freezes(channelId: number): Frozen[];
  /** Milliseconds until the first of these channels thaws for the model; 0 when one is free now. */
  thawsIn(channelIds: readonly number[], model: string): number;
  failed(channelId: number, model: string, error: UpstreamError, options: FailureOptions): void;
  succeeded(channelId: number): void;
  /** Forgets what was held against a channel that an operator has just changed or tested well. */
  forgive(channelId: number): void;
}

export interface FailureOptions {
  /** Seconds of freeze when the vendor does not say; 0 = none. */
  cooldownSeconds: number;
  mayDisable: boolean;
}

/** A vendor may ask for long pauses; an hour is the most we believe. */
const MAX_FREEZE_SECONDS = 3_600;
/** Refused credentials or balance: so many in a row, over at least so long, without a success in between. */
const EVIDENCE_COUNT = 3;
const EVIDENCE_WINDOW_MS = 10 * 60_000;
/** A credential that was refused is refused for every model. */
const EVERY_MODEL = "*";

interface Evidence {
  count: number;
  first: number;
}

export function createHealth(
  db: PrismaClient,
  options: { onError(error: unknown): void; now?: () => number },
): Health {
  const now = options.now ?? Date.now;
  const freezes = new Map<number, Map<string, Frozen>>();
  const evidence = new Map<number, Evidence>();

  function freezeOf(channelId: number, model: string): Frozen | undefined {
    const models = freezes.get(channelId);
    if (models === undefined) return undefined;
    const at = now();
    for (const name of [model, EVERY_MODEL]) {
      const freeze = models.get(name);
      if (freeze === undefined) continue;
      if (freeze.until > at) return freeze;
      models.delete(name);
    }
    if (models.size === 0) freezes.delete(channelId);
    return undefined;
  }

  function freeze(channelId: number, model: string, seconds: number, reason: string): void {
    let models = freezes.get(channelId);
    if (models === undefined) freezes.set(channelId, (models = new Map()));
    models.set(model, { model, until: now() + seconds * 1_000, reason });
  }

  function collectEvidence(channelId: number, error: UpstreamError): void {
    const at = now();
    const known = evidence.get(channelId);
    const current =
      known === undefined || at - known.first > EVIDENCE_WINDOW_MS ? { count: 0, first: at } : known;
    current.count += 1;
    evidence.set(channelId, current);
    if (current.count < EVIDENCE_COUNT) return;
    evidence.delete(channelId);
    const reason = `${error.kind === "auth" ? "The vendor refuses the key" : "The vendor's account has no balance"} (HTTP ${error.status}), ${EVIDENCE_COUNT} times in a row.`;
    disableChannel(db, channelId, reason).catch((failure: unknown) => options.onError(failure));
  }

  return {
    frozen: (channelId, model) => freezeOf(channelId, model) !== undefined,
    freezes(channelId) {
      const at = now();
      return [...(freezes.get(channelId)?.values() ?? [])].filter((entry) => entry.until > at);
    },
    thawsIn(channelIds, model) {
      let soonest = Number.POSITIVE_INFINITY;
      for (const id of channelIds) {
        const held = freezeOf(id, model);
        if (held === undefined) return 0;
        soonest = Math.min(soonest, held.until - now());
      }
      return Number.isFinite(soonest) ? soonest : 0;
    },
    failed(channelId, model, error, { cooldownSeconds, mayDisable }) {
      // The caller's own mistake says nothing about the channel.
      if (error.kind === "bad-request") return;
      const seconds = Math.min(error.retryAfter ?? cooldownSeconds, MAX_FREEZE_SECONDS);
      const wholeChannel = error.kind === "auth" || error.kind === "quota";
      if (seconds > 0) freeze(channelId, wholeChannel ? EVERY_MODEL : model, seconds, error.kind);
      if (wholeChannel && mayDisable) collectEvidence(channelId, error);
    },
    succeeded(channelId) {
      evidence.delete(channelId);
    },
    forgive(channelId) {
      evidence.delete(channelId);
      freezes.delete(channelId);
    },
  };
}

/** Switches an enabled channel off, with the reason on its time line. One that an operator switched off stays his. */
async function disableChannel(db: PrismaClient, channelId: number, reason: string): Promise<void> {
  await db.$transaction(async (tx) => {
    const { count } = await tx.channel.updateMany({
      where: { id: channelId, status: 1 },
      data: { status: 3, status_reason: reason, status_time: new Date() },
    });
    if (count === 0) return;
    await tx.channelEvent.create({ data: { channel_id: channelId, kind: "auto-disabled", reason } });
    await announce(tx, "channels", channelId);
  });
}

/** Switches an automatically disabled channel on again after a test went well. Answers whether it did. */
export async function reviveChannel(db: PrismaClient, channelId: number, reason: string): Promise<boolean> {
  return db.$transaction(async (tx: Db) => {
    const { count } = await tx.channel.updateMany({
      where: { id: channelId, status: 3 },
      data: { status: 1, status_reason: "", status_time: new Date() },
    });
    if (count === 0) return false;
    await tx.channelEvent.create({ data: { channel_id: channelId, kind: "auto-enabled", reason } });
    await announce(tx, "channels", channelId);
    return true;
  });
}

import { setTimeout as sleep } from "node:timers/promises";
import { GatewayError, invalidKey, ownerDisabled } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { type ListEntry, TransientList } from "#platform/memory/transient-list.ts";
import type { Caller } from "./callers.ts";
import { revokedKeyError, revokedKeys } from "./derived-keys/revoked-keys.ts";

/**
 * Ends calls in progress when their key or account is disabled, deleted or expires, and when their node stops
 * before they are complete. The module does not know
 * what a call is or how it is ended.
 */
export interface Revocations {
  /**
   * Calls `onRevoked` once, with the reason, when the caller loses access. Returns a function that ends the
   * watch.
   */
  watch(caller: WatchedCaller, onRevoked: OnRevoked): () => void;
  /** Handles a change of a token or user; id 0 means any. Resolves after every affected call was notified. */
  changed(topic: "tokens" | "users", id: number): Promise<void>;
  /** Ends every call in progress, and those that begin from now on. */
  endAll(reason: GatewayError): void;
  close(): void;
}

type WatchedCaller = Pick<Caller, "tokenId" | "userId" | "expiresAt" | "keyHash"> &
  Partial<Pick<Caller, "derived">>;

type OnRevoked = (reason: GatewayError) => void;

interface Watch extends ListEntry {
  tokenId: number;
  userId: number;
  expiresAt: number | undefined;
  /** Of a call with a derived key. */
  derived: Caller["derived"];
  keyHash: string | undefined;
  onRevoked: OnRevoked;
}

interface Standing {
  id: number;
  user_id: number;
  token_enabled: boolean;
  user_enabled: boolean;
  is_there: boolean;
  expires_at: Date | null;
  /** In hexadecimal: the key, and the one before the last rotation. */
  key_hash: string;
  previous_hash: string | null;
  previous_until: Date | null;
}

/** Interval in which expired keys are detected, in milliseconds. */
const LOOK_MS = 500;
/** Maximum number of retries. While the database is unavailable, no call starts and none settles. */
const MOST_TRIES = 60;

export function createRevocations(db: Db, onError: (error: unknown) => void): Revocations {
  const watches = new TransientList<Watch>();
  /** Runs while calls are watched. */
  let timer: NodeJS.Timeout | undefined;

  function findExpired(): void {
    const now = currentTime().getTime();
    for (const watch of watches.filter(({ expiresAt }) => expiresAt !== undefined && expiresAt <= now))
      revoke(watch, expiredError());
    if (watches.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  let endedBy: GatewayError | undefined;

  function revoke(watch: Watch, reason: GatewayError): void {
    // It ended meanwhile.
    if (!watches.has(watch)) return;
    watches.delete(watch);
    try {
      watch.onRevoked(reason);
    } catch (error) {
      onError(error);
    }
  }

  async function look(affected: readonly Watch[]): Promise<void> {
    const ids = [...new Set(affected.map(({ tokenId }) => tokenId))];
    const rows = await db.$queryRaw<Standing[]>`
      SELECT t.id, t.user_id, t.status = 1 AS token_enabled, u.status = 1 AS user_enabled,
        t.deleted_at IS NULL AND u.deleted_at IS NULL AS is_there, t.expired_time AS expires_at,
        encode(t.key_hash, 'hex') AS key_hash, encode(t.previous_hash, 'hex') AS previous_hash, t.previous_until
      FROM tokens t JOIN users u ON u.id = t.user_id WHERE t.id = ANY(${ids}::int[])`;
    const found = new Map(rows.map((row) => [row.id, row]));
    const revoked = await revokedAmong(affected);
    for (const watch of affected) {
      if (!watches.has(watch)) continue;
      const row = found.get(watch.tokenId);
      const isRevoked = watch.derived?.some(({ id }) => revoked.has(id)) === true;
      const reason = reasonOf(row, watch) ?? (isRevoked ? revokedKeyError() : undefined);
      if (reason !== undefined) revoke(watch, reason);
      else watch.expiresAt = earliest(row && endFor(row, watch), watch.derived?.at(-1)?.expiresAt);
    }
  }

  /** Returns the IDs of the derived keys of these calls that were revoked. */
  async function revokedAmong(affected: readonly Watch[]): Promise<ReadonlySet<string>> {
    const ids = new Set(affected.flatMap(({ derived = [] }) => derived.map(({ id }) => id)));
    return ids.size === 0 ? ids : revokedKeys(db, [...ids]);
  }

  return {
    watch({ tokenId, userId, expiresAt, keyHash, derived }, onRevoked) {
      const watch: Watch = { tokenId, userId, expiresAt, keyHash, derived, onRevoked, place: -1 };
      watches.add(watch);
      timer ??= setInterval(findExpired, LOOK_MS).unref();
      const reason = endedBy;
      // Not at once: the caller has not received the function that ends the watch.
      if (reason !== undefined) queueMicrotask(() => revoke(watch, reason));
      return () => watches.delete(watch);
    },
    async changed(topic, id) {
      const key = topic === "tokens" ? "tokenId" : "userId";
      for (let tries = 1; ; tries += 1) {
        const affected = watches.filter((watch) => id === 0 || watch[key] === id);
        if (affected.length === 0) return;
        try {
          return await look(affected);
        } catch (error) {
          onError(error);
          if (tries >= MOST_TRIES) return;
          await sleep(LOOK_MS, undefined, { ref: false });
        }
      }
    },
    endAll(reason) {
      endedBy = reason;
      for (const watch of watches.filter(() => true)) revoke(watch, reason);
    },
    close: () => clearInterval(timer),
  };
}

function reasonOf(row: Standing | undefined, watch: Watch): GatewayError | undefined {
  if (row === undefined || !row.is_there || row.user_id !== watch.userId) return invalidKey();
  const { keyHash } = watch;
  if (keyHash !== undefined && keyHash !== row.key_hash && keyHash !== row.previous_hash) return invalidKey();
  if (!row.user_enabled) return ownerDisabled();
  if (!row.token_enabled) return new GatewayError("token_disabled");
  const end = endFor(row, watch);
  return end !== undefined && end <= currentTime().getTime() ? expiredError() : undefined;
}

/** Returns when the key of a watched call stops working, in milliseconds since 1970. */
function endFor(row: Standing, { keyHash }: Watch): number | undefined {
  const own = row.expires_at?.getTime();
  if (keyHash === undefined || keyHash === row.key_hash || row.previous_until === null) return own;
  return earliest(own, row.previous_until.getTime());
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function expiredError(): GatewayError {
  return new GatewayError("token_expired");
}

/**
 * Finds the callers of derived keys. A derived key is checked against the API key that it names, and has that key's
 * rights with its own restrictions. Its row, if there is one, shows whether it was revoked.
 */
import { LONGEST_DERIVED_DAYS } from "@gateway/shared/accounts/derived-key";
import { GatewayError, invalidKey } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { type DerivedAccess, describeLevels } from "./derived-access.ts";
import { authenticateLevels, derivedKeyPrefix, parseDerivedKey } from "./derived-key.ts";
import { revokedKeyError, revokedKeys } from "./revoked-keys.ts";

/** The fields of a caller that a derived key restricts. */
interface RestrictedCaller {
  expiresAt: number | undefined;
  mayPin: boolean;
  mayChangeChannels: boolean;
  derived: DerivedAccess | undefined;
}

/** The API key that derived keys name. */
export interface DerivationParent<Caller> {
  caller: Caller;
  /** See `derivationSecretOf`. */
  secret: Buffer;
}

export interface DerivedCallers<Caller> {
  /** Returns the caller of a cached derived key, as its client presents it. */
  known(presented: string): Caller | undefined;
  /**
   * Finds the caller of a derived key. Throws `invalid_api_key`.
   * @param onUnknown called first for a key that is not cached; if it throws, the key is rejected
   */
  find(presented: string, onUnknown?: () => void): Promise<Caller>;
  /** Removes cached callers after a change. */
  forget(matches: (caller: Caller) => boolean): void;
}

/** A holder of a key can make any number of derived keys, so their callers do not displace those of API keys. */
const MAX_CACHED = 10_000;
const MAX_REFUSED = 10_000;
/** As for API keys. */
const TTL_MS = 60_000;
const REFUSED_TTL_MS = 5_000;
const DAY_MS = 86_400_000;
const BEARER = /^Bearer\s+/i;

interface Cached<Value> {
  value: Value;
  until: number;
}

/** Returns whether a client presents a derived key. */
export function isDerivedKey(presented: string): boolean {
  return textOf(presented).startsWith(derivedKeyPrefix);
}

function textOf(presented: string): string {
  return presented.trim().replace(BEARER, "");
}

/** @param findParent reads the enabled or disabled API key with this ID; undefined when there is none */
export function createDerivedCallers<Caller extends RestrictedCaller>(
  db: Db,
  findParent: (derivationId: string) => Promise<DerivationParent<Caller> | undefined>,
): DerivedCallers<Caller> {
  const known = new Map<string, Cached<Caller>>();
  const parents = new Map<string, Cached<DerivationParent<Caller> | undefined>>();
  const loading = new Map<string, Promise<DerivationParent<Caller> | undefined>>();
  // A load that started before a change must not cache the old row after it.
  let generation = 0;

  function freshlyKnown(text: string): Caller | undefined {
    const cached = known.get(text);
    return cached !== undefined && cached.until > performance.now() ? cached.value : undefined;
  }

  async function loadParent(id: string): Promise<DerivationParent<Caller> | undefined> {
    const begun = generation;
    const value = await findParent(id);
    if (begun !== generation) return value;
    if (parents.size >= MAX_REFUSED) removeOldest(parents);
    parents.set(id, { value, until: performance.now() + (value === undefined ? REFUSED_TTL_MS : TTL_MS) });
    return value;
  }

  async function parentOf(id: string): Promise<DerivationParent<Caller> | undefined> {
    const cached = parents.get(id);
    if (cached !== undefined && cached.until > performance.now()) return cached.value;
    let pending = loading.get(id);
    if (pending === undefined) {
      pending = loadParent(id).finally(() => loading.delete(id));
      loading.set(id, pending);
    }
    return pending;
  }

  return {
    known: freshlyKnown,
    async find(presented, onUnknown) {
      const text = textOf(presented);
      const cached = freshlyKnown(text);
      if (cached !== undefined) return cached;
      onUnknown?.();
      const parsed = parseDerivedKey(text);
      if (parsed === undefined)
        throw new GatewayError("invalid_api_key", { reason: "derived_key_unreadable" });
      const begun = generation;
      const parent = await parentOf(parsed.parentId);
      const ids = parent && authenticateLevels(parsed, parent.secret);
      if (parent === undefined || ids === undefined) throw invalidKey();
      const caller = restrict(parent.caller, describeLevels(parsed.levels, ids));
      if ((await revokedKeys(db, ids)).size > 0) throw revokedKeyError();
      if (begun !== generation) return caller;
      const entry = { value: caller, until: performance.now() + TTL_MS };
      for (const form of new Set([text, presented])) {
        if (known.size >= MAX_CACHED) removeOldest(known);
        known.set(form, entry);
      }
      return caller;
    },
    forget(matches) {
      generation += 1;
      for (const [text, { value }] of known) if (matches(value)) known.delete(text);
      for (const [id, { value }] of parents)
        if (value === undefined || matches(value.caller)) parents.delete(id);
    },
  };
}

function removeOldest(cache: Map<string, unknown>): void {
  const oldest = cache.keys().next();
  if (!oldest.done) cache.delete(oldest.value);
}

/** Returns the caller of the API key with the restrictions of a derived key. */
function restrict<Caller extends RestrictedCaller>(
  parent: Caller,
  levels: DerivedAccess | undefined,
): Caller {
  const latest = currentTime().getTime() + LONGEST_DERIVED_DAYS * DAY_MS;
  const last = levels?.at(-1);
  if (levels === undefined || last === undefined || levels[0].expiresAt > latest)
    throw new GatewayError("invalid_api_key", { reason: "derived_key_expiry", days: LONGEST_DERIVED_DAYS });
  return {
    ...parent,
    expiresAt: Math.min(last.expiresAt, parent.expiresAt ?? last.expiresAt),
    // A pinned channel serves objects of its provider's account, which are not charged.
    mayPin: false,
    mayChangeChannels: false,
    derived: levels,
  };
}

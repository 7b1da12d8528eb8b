import { createHash } from "node:crypto";
import { sessionSpendOf } from "@gateway/shared/accounts/budget";
import { mayEnter } from "@gateway/shared/accounts/roles";
import { TokenSetting } from "@gateway/shared/accounts/token";
import ipaddr from "ipaddr.js";
import { permissionsOf } from "#domain/accounts/users.ts";
import { GatewayError, forbidden, invalidKey, ownerDisabled } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { readAgain } from "#platform/database/connection-loss.ts";
import type { Db } from "#platform/database/db.ts";
import type { Token } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { DerivedAccess } from "./derived-keys/derived-access.ts";
import { createDerivedCallers, type DerivationParent, isDerivedKey } from "./derived-keys/derived-callers.ts";
import { derivationSecretOf } from "./derived-keys/derived-key.ts";
import { derivationHash, importedKeyHash, revealKey } from "./keys.ts";

/**
 * The token and its owner after authentication: the identity of a request. Loaded once and shared by its
 * calls.
 */
export interface Caller {
  tokenId: number;
  tokenName: string;
  userId: number;
  username: string;
  role: number;
  /** Group of the owner. It determines the limits and which groups the token may use. */
  userGroup: string;
  /** Group that routes the calls: the token's group, else the owner's. */
  group: string;
  /** Group to try when `group` has no usable channel; "" means none. */
  backupGroup: string;
  unlimited: boolean;
  tokenEnabled: boolean;
  userEnabled: boolean;
  /** In milliseconds since 1970; undefined means never. After a rotation, the previous key expires earlier than its token. */
  expiresAt: number | undefined;
  /** Look-up hash of the key that authenticated, in hexadecimal; undefined for a caller found without a key. */
  keyHash: string | undefined;
  /** Whether the caller may choose the channel of a call. */
  mayPin: boolean;
  /** Whether the caller may use a pinned channel for changes, not only for reads. */
  mayChangeChannels: boolean;
  billingTag: string;
  setting: TokenSetting;
  /** Points that a session of this token may spend, by its owner's and the operator's limit; 0 means no limit. */
  sessionSpend: number;
  /** The same of the account's own budget. Undefined: that of its group applies. */
  accountSessionSpend: number | undefined;
  /** Restrictions of a derived key; undefined for the token's own key. */
  derived: DerivedAccess | undefined;
}

/**
 * Channel pins that an administrator may append to a key. `sk-…#12`: only channel 12. `sk-…#!12`: never
 * channel 12. `sk-…#12#ignore`: channel 12 for resources that its provider stores per account, and any
 * channel for other calls.
 */
export interface Pin {
  only?: number;
  never?: number;
  account?: number;
  /**
   * Channel and key of the conversation, used if the caller may still use them. Set by the gateway, not by
   * the caller.
   */
  home?: { channel: number; key: number | undefined };
}

export interface Callers {
  /** Returns the caller of a cached key without a pin, as its client presents it; undefined for all others. */
  known(presented: string): Caller | undefined;
  /**
   * Finds the caller of a key. Throws `invalid_api_key`. `presented` may contain `Bearer `, `sk-` and a pin.
   * @param onUnknown called first for a key that is not cached; if it throws, the key is rejected
   */
  find(presented: string, onUnknown?: () => void): Promise<{ caller: Caller; pin: Pin | undefined }>;
  /** Finds the caller of an imported key by the key's SHA-256. Throws `invalid_api_key`. Not cached. */
  findByHash(sha256: string): Promise<Caller>;
  /**
   * Finds the caller of a token. Throws `invalid_api_key` for one that does not exist any more. Not cached.
   * @param keyHash look-up hash, in hexadecimal, of the key that the caller must still have; undefined = any
   */
  findById(tokenId: number, keyHash: string | undefined): Promise<Caller>;
  /** Removes cached callers after a change; 0 means all. */
  forgetToken(tokenId: number): void;
  forgetUser(userId: number): void;
}

const MAX_CACHED = 50_000;
const MAX_REFUSED = 10_000;
/** Announcements clear the cache at once. This limits the effect of a missed announcement. */
const TTL_MS = 60_000;
const REFUSED_TTL_MS = 5_000;
const KEY = /^(?:Bearer\s+)?((?:sk-)?[\w-]{20,128})(?:#(!?)(\d{1,9})(#ignore)?)?$/i;

interface CachedCaller {
  caller: Caller;
  until: number;
}

export function createCallers(db: Db, secrets: Secrets): Callers {
  const known = new Map<string, CachedCaller>();
  /** Keys by the text in which their clients present them, so that it is not parsed for every call. */
  const presentedAs = new Map<string, string>();
  const refused = new Map<string, number>();
  const loading = new Map<string, Promise<Caller | undefined>>();
  // A load that started before a change must not cache the old row after it.
  let generation = 0;

  function remember(key: string, caller: Caller | undefined): void {
    if (caller === undefined) {
      if (refused.size >= MAX_REFUSED) refused.clear();
      refused.set(key, performance.now() + REFUSED_TTL_MS);
      return;
    }
    if (known.size >= MAX_CACHED) {
      const oldest = known.keys().next();
      if (!oldest.done) known.delete(oldest.value);
    }
    known.set(key, { caller, until: performance.now() + TTL_MS });
  }

  async function load(key: string): Promise<Caller | undefined> {
    const begun = generation;
    const caller =
      (await readByHash(secrets.hash(key))) ??
      // Some imported keys are known by their SHA-256 only.
      (await readByHash(importedKeyHash(secrets, createHash("sha256").update(key).digest("hex"))));
    if (begun === generation) remember(key, caller);
    return caller;
  }

  async function read(where: TokenKey): Promise<TokenWithOwner | undefined> {
    return (await readAgain(() => findToken(db, where))) ?? undefined;
  }

  async function readByHash(keyHash: Uint8Array<ArrayBuffer>): Promise<Caller | undefined> {
    const row = await read({ key_hash: keyHash });
    return row && describeCaller(row, keyHash);
  }

  async function findParent(derivationId: string): Promise<DerivationParent<Caller> | undefined> {
    const row = await read({ derivation_hash: derivationHash(secrets, derivationId) });
    return (
      row && {
        caller: describeCaller(row, row.key_hash),
        secret: derivationSecretOf(revealKey(secrets, row)),
      }
    );
  }

  const derived = createDerivedCallers(db, findParent);

  function freshlyKnown(key: string): Caller | undefined {
    const cached = known.get(key);
    return cached !== undefined && cached.until > performance.now() ? cached.caller : undefined;
  }

  async function lookUp(key: string): Promise<Caller> {
    const refusedUntil = refused.get(key);
    if (refusedUntil !== undefined && refusedUntil > performance.now()) throw invalidKey();
    let pending = loading.get(key);
    if (pending === undefined) {
      pending = load(key).finally(() => loading.delete(key));
      loading.set(key, pending);
    }
    const caller = await pending;
    if (caller === undefined) throw invalidKey();
    return caller;
  }

  function forget(matches: (caller: Caller) => boolean): void {
    generation += 1;
    refused.clear();
    for (const [key, { caller }] of known) if (matches(caller)) known.delete(key);
    derived.forget(matches);
  }

  return {
    known(presented) {
      const key = presentedAs.get(presented);
      return key === undefined ? derived.known(presented) : freshlyKnown(key);
    },
    async find(presented, onUnknown) {
      if (isDerivedKey(presented))
        return { caller: await derived.find(presented, onUnknown), pin: undefined };
      const match = KEY.exec(presented.trim());
      const [, bare = "", not, channel, ignore] = match ?? [];
      const key = bare.startsWith("sk-") ? bare : `sk-${bare}`;
      const cached = freshlyKnown(key);
      if (cached === undefined) onUnknown?.();
      if (match === null) throw invalidKey();
      const caller = cached ?? (await lookUp(key));
      if (channel === undefined) {
        if (presentedAs.size >= MAX_CACHED) presentedAs.clear();
        presentedAs.set(presented, key);
        return { caller, pin: undefined };
      }
      if (!caller.mayPin) throw forbidden({ reason: "pin_by_admins_only" });
      const id = Number(channel);
      if (not === "!") return { caller, pin: { never: id } };
      return { caller, pin: ignore === undefined ? { only: id } : { account: id } };
    },
    findByHash: async (sha256) => requireCaller(await readByHash(importedKeyHash(secrets, sha256))),
    async findById(id, keyHash) {
      const row = await read({ id });
      const hash = keyHash === undefined ? undefined : Buffer.from(keyHash, "hex");
      return requireCaller(row && hasKey(row, keyHash) ? describeCaller(row, hash) : undefined);
    },
    forgetToken(tokenId) {
      forget((caller) => tokenId === 0 || caller.tokenId === tokenId);
    },
    forgetUser(userId) {
      forget((caller) => userId === 0 || caller.userId === userId);
    },
  };
}

function requireCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw invalidKey();
  return caller;
}

type TokenKey =
  | { key_hash: Uint8Array<ArrayBuffer> }
  | { derivation_hash: Uint8Array<ArrayBuffer> }
  | { id: number };

type TokenWithOwner = NonNullable<Awaited<ReturnType<typeof findToken>>>;

function findToken(db: Db, where: TokenKey) {
  const found =
    "key_hash" in where
      ? { OR: [where, { previous_hash: where.key_hash, previous_until: { gt: currentTime() } }] }
      : where;
  return db.token.findFirst({
    where: { ...found, deleted_at: null, user: { deleted_at: null } },
    include: {
      user: {
        select: { username: true, role: true, group: true, status: true, permissions: true, budget: true },
      },
    },
  });
}

/** Whether this is the key of the token, or the one before the last rotation. */
function hasKey(row: Pick<Token, "key_hash" | "previous_hash">, keyHash: string | undefined): boolean {
  return [undefined, hexOf(row.key_hash), row.previous_hash && hexOf(row.previous_hash)].includes(keyHash);
}

/** @param keyHash of the key that the client presented; undefined where the token was found without one */
function describeCaller(row: TokenWithOwner, keyHash: Uint8Array | undefined): Caller {
  const setting = TokenSetting.parse(row.setting);
  const rights = { role: row.user.role, permissions: permissionsOf(row.user) };
  return {
    tokenId: row.id,
    tokenName: row.name,
    userId: row.user_id,
    username: row.user.username,
    role: row.user.role,
    userGroup: row.user.group,
    group: row.group === "" ? row.user.group : row.group,
    backupGroup: row.backup_group,
    unlimited: row.unlimited_quota,
    tokenEnabled: row.status === 1,
    userEnabled: row.user.status === 1,
    expiresAt: endOfKey(row, keyHash),
    keyHash: keyHash && hexOf(keyHash),
    mayPin: mayEnter(rights, "channels"),
    mayChangeChannels: mayEnter(rights, "channels", "edit"),
    billingTag: row.billing_tag,
    setting,
    sessionSpend: pickLowerLimit(setting.rates.session_spend, sessionSpendOf(row.budget)),
    accountSessionSpend: row.user.budget === null ? undefined : sessionSpendOf(row.user.budget),
    derived: undefined,
  };
}

type KeyColumns = Pick<Token, "key_hash" | "previous_until" | "expired_time">;

/** Returns when a key of a token stops working, in milliseconds since 1970. The key before a rotation ends first. */
function endOfKey(row: KeyColumns, keyHash: Uint8Array | undefined): number | undefined {
  const ends = [row.expired_time?.getTime()];
  if (keyHash !== undefined && hexOf(keyHash) !== hexOf(row.key_hash))
    ends.push(row.previous_until?.getTime());
  const known = ends.filter((end) => end !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** Returns the lower of two limits, where 0 means no limit. */
export function pickLowerLimit(one: number, other: number): number {
  return one === 0 || other === 0 ? Math.max(one, other) : Math.min(one, other);
}

/** Throws the first reason why this caller may not make calls. */
export function requireUsable(caller: Caller, ip: string, now: number): void {
  if (!caller.userEnabled) throw ownerDisabled();
  if (!caller.tokenEnabled) throw new GatewayError("token_disabled");
  if (caller.expiresAt !== undefined && caller.expiresAt <= now) throw new GatewayError("token_expired");
  const addresses = caller.setting.limits.limits_ip_setting;
  if (addresses.enabled && !addressMatches(ip, addresses.whitelist))
    throw new GatewayError("address_not_allowed", { ip });
  if (caller.derived?.every(({ ips }) => ips === undefined || addressMatches(ip, ips)) === false)
    throw new GatewayError("address_not_allowed", { ip });
}

/**
 * Returns whether the token may use a model. Names in its list may end in `*`. An enabled, empty list allows
 * nothing.
 */
export function mayUseModel(caller: Caller, model: string): boolean {
  const { enabled, models } = caller.setting.limits.limit_model_setting;
  return (!enabled || isListed(models, model)) && isAllowedByDerivedKey(caller, model);
}

/** Returns whether every level of a derived key allows a model or tool. Keys that are not derived allow all. */
export function isAllowedByDerivedKey({ derived }: Pick<Caller, "derived">, name: string): boolean {
  return derived?.every(({ models }) => models === undefined || isListed(models, name)) ?? true;
}

function isListed(models: readonly string[], model: string): boolean {
  return models.some((name) => (name.endsWith("*") ? model.startsWith(name.slice(0, -1)) : name === model));
}

export function addressMatches(ip: string, patterns: readonly string[]): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  return patterns.some((pattern) => {
    if (!pattern.includes("/")) return ipaddr.isValid(pattern) && same(address, ipaddr.process(pattern));
    if (!ipaddr.isValidCIDR(pattern)) return false;
    const [network, bits] = ipaddr.parseCIDR(pattern);
    return network.kind() === address.kind() && address.match(network, bits);
  });
}

function same(left: ipaddr.IPv4 | ipaddr.IPv6, right: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return left.kind() === right.kind() && left.toNormalizedString() === right.toNormalizedString();
}

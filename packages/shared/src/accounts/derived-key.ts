import { z } from "zod";
import { ModelPattern } from "#models/model-name.ts";
import { Page, Points, UnixTime } from "#paging.ts";

/** Characters of a derived key, with its prefix. */
export const LONGEST_DERIVED_KEY = 512;
/** A key can be derived from a derived key, this often. */
export const DEEPEST_DERIVED_KEY = 4;
/** A derived key must expire within this time. */
export const LONGEST_DERIVED_DAYS = 366;

/** One level of a derived key: what it may do at most. Each level restricts the levels before it. */
export const DerivedKeyRestrictions = z.strictObject({
  /** The most that it may spend, in US dollars. */
  usd: z
    .string()
    .regex(/^\d{1,7}(?:\.\d{1,6})?$/)
    .optional(),
  /** When it expires, in seconds since 1970. The first level must have it. */
  exp: z.int().min(0).max(253_402_300_799).optional(),
  /** Names of models; a name may end in `*`. */
  models: z.array(z.string().min(1).max(160)).min(1).max(16).optional(),
  /** Addresses and ranges of clients. */
  ips: z.array(z.string().min(1).max(43)).min(1).max(16).optional(),
  /** Shown in the log and in the list of derived keys. */
  label: z
    .string()
    .regex(/^\P{C}{1,40}$/u)
    .optional(),
  /** Makes two keys with the same restrictions different, so that each has an amount of its own. */
  nonce: z
    .string()
    .regex(/^[\w-]{1,22}$/)
    .optional(),
});
export type DerivedKeyRestrictions = z.infer<typeof DerivedKeyRestrictions>;

/** Restrictions of a key that is being derived: only models that a call can name. */
export const NewDerivedKeyRestrictions = DerivedKeyRestrictions.extend({
  models: z.array(ModelPattern).min(1).max(16).optional(),
});

/** ID of a derived key. It is computed from the key and does not reveal it. */
export const DerivedKeyId = z.string().regex(/^[0-9a-f]{32}$/);

/** A derived key that was used. */
export const DerivedKeyRow = z.object({
  id: DerivedKeyId,
  /** The derived key that it was derived from; null = the token's own key. */
  parent_id: z.string().nullable(),
  label: z.string(),
  /** The most that it may spend; null = as much as the key that it was derived from. */
  quota: Points.nullable(),
  spent: Points,
  reserved: Points,
  created_at: UnixTime,
  used_at: UnixTime,
  expires_at: UnixTime,
  revoked_at: UnixTime.nullable(),
});
export type DerivedKeyRow = z.infer<typeof DerivedKeyRow>;

export const DerivedKeyPage = Page(DerivedKeyRow);
export type DerivedKeyPage = z.infer<typeof DerivedKeyPage>;

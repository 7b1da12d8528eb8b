import { notFound } from "#errors.ts";
import { now as clock } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { Fetched, PublicFetchOptions } from "#platform/public-fetch.ts";

/**
 * Pictures that operators name by address, fetched once for everyone who looks at a list: their hosts are not asked
 * again and again, and do not learn who looks. Only what an operator named is ever fetched.
 */
export interface Icons {
  /** Throws `not_found` for what no one named or what is no picture, `invalid_request` for what cannot be fetched. */
  iconAt(address: string): Promise<Fetched>;
}

interface Kept {
  icon: Promise<Fetched>;
  until: number;
}

const MOST_ICONS = 50;
const KEPT_HOURS = 168;
/** No one waits for a dead host at every look at a list. */
const FAILURE_KEPT_MS = 5 * 60_000;
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 5_000;

/** How long an icon may be shown without being asked for anew, in seconds. */
export const ICON_KEPT_SECONDS = KEPT_HOURS * 3_600;

export function createIcons(
  db: Db,
  fetchPublic: (address: string, options: PublicFetchOptions) => Promise<Fetched>,
  now: () => number = clock,
): Icons {
  /** The one that was looked at longest ago first. */
  const kept = new Map<string, Kept>();

  function remember(address: string, entry: Kept): Promise<Fetched> {
    kept.delete(address);
    kept.set(address, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST_ICONS && oldest !== undefined) kept.delete(oldest);
    return entry.icon;
  }

  function fresh(address: string): Kept | undefined {
    const known = kept.get(address);
    return known !== undefined && known.until > now() ? known : undefined;
  }

  function ask(address: string): Kept {
    const icon = fetchPublic(address, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }).then(pictureOnly);
    const entry: Kept = { icon, until: now() + ICON_KEPT_SECONDS * 1_000 };
    icon.catch(() => {
      entry.until = now() + FAILURE_KEPT_MS;
    });
    return entry;
  }

  return {
    async iconAt(address) {
      // What no one named is not kept either: it would push out what is looked at.
      if (fresh(address) === undefined && !(await isNamed(db, address)))
        throw notFound({ reason: "icon_not_found" });
      return remember(address, fresh(address) ?? ask(address));
    },
  };
}

function pictureOnly(found: Fetched): Fetched {
  if (!found.mediaType.startsWith("image/")) throw notFound({ reason: "icon_not_found" });
  return found;
}

async function isNamed(db: Db, icon: string): Promise<boolean> {
  const [owner, gateway] = await Promise.all([
    db.modelOwner.findFirst({ where: { icon }, select: { id: true } }),
    db.paymentGateway.findFirst({ where: { icon }, select: { id: true } }),
  ]);
  return owner !== null || gateway !== null;
}

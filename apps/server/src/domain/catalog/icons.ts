import { notFound } from "#errors.ts";
import { now as clock } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import type { FetchedFile, PublicFetchOptions } from "#platform/http/public-fetch.ts";

/**
 * Icons that operators configured by URL, fetched once for all users. Their hosts get few requests and do not
 * learn who views a page. Only URLs that an operator configured are fetched.
 */
export interface Icons {
  /**
   * Returns an icon. Throws `not_found` if no operator configured it or it is no image, and `invalid_request`
   * if it cannot be fetched.
   */
  iconAt(address: string): Promise<FetchedFile>;
}

interface CachedIcon {
  icon: Promise<FetchedFile>;
  until: number;
}

const MOST_ICONS = 50;
const KEPT_HOURS = 168;
/** Failures are cached too, so that users do not wait for an unavailable host on every page. */
const FAILURE_KEPT_MS = 5 * 60_000;
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 5_000;

/** Lifetime of an icon in client caches, in seconds. */
export const ICON_KEPT_SECONDS = KEPT_HOURS * 3_600;

export function createIcons(
  db: Db,
  fetchPublic: (address: string, options: PublicFetchOptions) => Promise<FetchedFile>,
  now: () => number = clock,
): Icons {
  /** Least recently used first. */
  const kept = new Map<string, CachedIcon>();

  function remember(address: string, entry: CachedIcon): Promise<FetchedFile> {
    kept.delete(address);
    kept.set(address, entry);
    const [oldest] = kept.keys();
    if (kept.size > MOST_ICONS && oldest !== undefined) kept.delete(oldest);
    return entry.icon;
  }

  function fresh(address: string): CachedIcon | undefined {
    const known = kept.get(address);
    return known !== undefined && known.until > now() ? known : undefined;
  }

  function ask(address: string): CachedIcon {
    const icon = fetchPublic(address, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }).then(pictureOnly);
    const entry: CachedIcon = { icon, until: now() + ICON_KEPT_SECONDS * 1_000 };
    icon.catch(() => {
      entry.until = now() + FAILURE_KEPT_MS;
    });
    return entry;
  }

  return {
    async iconAt(address) {
      // Unknown URLs are not cached, because they would evict icons that are in use.
      if (fresh(address) === undefined && !(await isNamed(db, address)))
        throw notFound({ reason: "icon_not_found" });
      return remember(address, fresh(address) ?? ask(address));
    },
  };
}

function pictureOnly(found: FetchedFile): FetchedFile {
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

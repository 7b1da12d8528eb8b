/** Finds out whether there is a newer version of the gateway: what an operator sees, and nothing else depends on it. */
import { storedFacts } from "@gateway/shared/reasons";
import type { ReleaseCheckStatus } from "@gateway/shared/site/release-check";
import type { Settings } from "@gateway/shared/site/settings";
import { gt, valid } from "semver";
import { z } from "zod";
import { GatewayError, reasonOfError } from "#errors.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import { storableText } from "#platform/database/storable-text.ts";
import { fetchPublic, type PublicFetchOptions } from "#platform/http/public-fetch.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { repositoryUrl } from "#version.ts";

/** A response of https://docs.github.com/rest/releases/releases#get-the-latest-release, as far as it is used. */
const GitHubRelease = z.object({
  tag_name: z.string().max(64),
  name: z.string().nullish(),
  body: z.string().nullish(),
  html_url: z
    .url({ protocol: /^https?$/ })
    .max(500)
    .catch(""),
  published_at: z.iso.datetime().nullish().catch(null),
});

const patienceMs = 10_000;
/** A response of GitHub has at most 125,000 characters of notes. */
const maxBytes = 1_000_000;
const mostNotes = 20_000;
const mostName = 200;
const mostEtag = 500;

/**
 * Fetches the latest release and records it, or why that failed. Throws `release_check_off` while it is not enabled.
 * @param limits for tests
 */
export async function checkRelease(
  db: PrismaClient,
  settings: Pick<Settings, "ReleaseCheckEnabled" | "ReleaseCheckAddress">,
  limits: Pick<PublicFetchOptions, "mayReach" | "timeoutMs"> = {},
): Promise<void> {
  if (!settings.ReleaseCheckEnabled) throw new GatewayError("conflict", { reason: "release_check_off" });
  const address = settings.ReleaseCheckAddress || (releasesAddress(repositoryUrl) ?? "");
  const last = await db.releaseCheck.findUnique({ where: { id: 1 } });
  const etag = last?.address === address ? last.etag : "";
  const found = { ...(await fetchRelease(address, etag, limits)), address, checked_at: currentTime() };
  await db.releaseCheck.upsert({ where: { id: 1 }, create: { id: 1, ...found }, update: found });
}

/** Returns the address of the latest release of a repository; undefined while its owner is not named. */
export function releasesAddress(repository: string): string | undefined {
  const [, owner = "OWNER", name] = /github\.com\/([^/]+)\/([^/]+?)(?:\.git)?$/.exec(repository) ?? [];
  return owner === "OWNER" ? undefined : `https://api.github.com/repos/${owner}/${name}/releases/latest`;
}

/** Returns what is recorded. Fields that are missing keep their values. */
async function fetchRelease(
  address: string,
  etag: string,
  limits: Pick<PublicFetchOptions, "mayReach" | "timeoutMs">,
) {
  try {
    if (address === "") throw new GatewayError("conflict", { reason: "release_address_missing" });
    // Only root configures the address, and a mirror may be in the private network.
    const file = await fetchPublic(address, {
      timeoutMs: patienceMs,
      maxBytes,
      mayBePrivate: true,
      ...limits,
      etag,
    });
    if (file.isUnchanged === true) return { reason: "", reason_facts: [] };
    const release = parseRelease(file.bytes.toString("utf8"));
    const kept = file.etag !== undefined && file.etag.length <= mostEtag ? file.etag : "";
    return { ...release, etag: kept, reason: "", reason_facts: [] };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { text, facts } = reasonOfError(error);
    return { reason: text, reason_facts: facts };
  }
}

function parseRelease(text: string) {
  const release = GitHubRelease.safeParse(parseJson(text));
  const version = release.success ? valid(release.data.tag_name) : null;
  if (!release.success || version === null)
    throw new GatewayError("conflict", { reason: "release_not_answered" });
  const { name, body, html_url: url, published_at: published } = release.data;
  return {
    version,
    name: storableText(name ?? "", mostName),
    notes: storableText(body ?? "", mostNotes),
    url,
    published_at: published ? new Date(published) : null,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param version of this program */
export async function describeReleaseCheck(db: PrismaClient, version: string): Promise<ReleaseCheckStatus> {
  const row = await db.releaseCheck.findUnique({ where: { id: 1 } });
  if (row === null)
    return { version, checked_at: null, release: null, is_newer: false, reason: "", reason_facts: [] };
  const { name, notes, url, published_at: published } = row;
  const isKnown = row.version !== "";
  return {
    version,
    checked_at: unixTime(row.checked_at),
    release: isKnown
      ? { version: row.version, name, notes, url, published_at: published && unixTime(published) }
      : null,
    is_newer: isKnown && gt(row.version, version),
    reason: row.reason,
    reason_facts: storedFacts(row.reason_facts),
  };
}

import type { Actor } from "#domain/audit-log/audit.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { Providers } from "#providers/registry.ts";
import { applyChannels, pruneChannels } from "./apply-channels.ts";
import { applyGroups, pruneGroups } from "./apply-groups.ts";
import { applyPrices, prunePrices } from "./apply-prices.ts";
import { applySettings } from "./apply-settings.ts";
import type { ApplyContext, Change } from "./changes.ts";
import type { ReadFile } from "./read-gateway-file.ts";

interface ApplyDeps {
  db: PrismaClient;
  secrets: Secrets;
  providers: Providers;
  actor: Actor;
}

const longestMs = 600_000;
const connectionMs = 10_000;

/** Carries the result of a dry run out of its transaction, which it ends. */
class RollBack extends Error {}

/**
 * Applies the file in one transaction and returns what changed. Every change passes the checks, the audit log
 * and the announcements of the management API.
 * @param dryRun rolls everything back
 * @throws CommandFailure that names every fault with its line; nothing is written in that case
 */
export async function applyFile(
  { db, ...deps }: ApplyDeps,
  { file, isFromEnvironment, refusal }: ReadFile,
  { dryRun }: { dryRun: boolean },
): Promise<Change[]> {
  const changes: Change[] = [];
  const run = db.$transaction(
    async (tx) => {
      await tx.$executeRaw`SET LOCAL lock_timeout = '60s'`;
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.applyFile}::bigint)`;
      const context: ApplyContext = { ...deps, tx, isFromEnvironment, changes, faults: [] };
      // Channels name groups, so groups are created before them and deleted after them.
      await applyGroups(context, file.groups);
      await applyChannels(context, file.channels);
      await applyPrices(context, file.prices);
      await applySettings(context, file.settings);
      if (file.prune.includes("channels")) await pruneChannels(context, file.channels);
      if (file.prune.includes("prices")) await prunePrices(context, file.prices);
      if (file.prune.includes("groups")) await pruneGroups(context, file.groups);
      if (context.faults.length > 0) throw refusal(context.faults);
      if (dryRun) throw new RollBack();
    },
    { timeout: longestMs, maxWait: connectionMs },
  );
  await run.catch((error: unknown) => {
    if (!(error instanceof RollBack)) throw error;
  });
  return changes;
}

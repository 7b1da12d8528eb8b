import type { StoredBackup } from "./stored-backups.ts";

export interface Retention {
  /** Number of newest backups that are kept; at least 1. */
  keepLast: number;
  /** Younger backups are kept as well. Days; 0 = off. */
  keepDays: number;
}

const dayMs = 86_400_000;

/** Returns the names of the backups that may be deleted: neither among the newest nor young enough. */
export function expiredBackups(
  backups: readonly StoredBackup[],
  { keepLast, keepDays }: Retention,
  now: Date,
): string[] {
  const newestFirst = [...backups].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const oldestKept = now.getTime() - keepDays * dayMs;
  return newestFirst
    .slice(Math.max(1, keepLast))
    .filter(({ createdAt }) => createdAt.getTime() < oldestKept)
    .map(({ name }) => name);
}

import type { BackupProgress } from "@gateway/shared/site/backup-list";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Pool } from "#platform/database/db.ts";

/**
 * The session that has the lock of backups, on any node. Its transaction writes the tables by name, and ends before
 * the backup is read back. Parameters: $1 lock.
 */
const sql = `
WITH session AS (
  SELECT a.pid, a.xact_start IS NULL AS is_checking FROM pg_locks l JOIN pg_stat_activity a USING (pid)
   WHERE l.locktype = 'advisory' AND l.objid = $1 AND l.objsubid = 1 AND l.granted
     AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
), sizes AS (
  SELECT relname, pg_relation_size(oid) AS bytes FROM pg_class
   WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND EXISTS (SELECT FROM session)
)
SELECT s.is_checking, (
         SELECT sum(bytes) FILTER (WHERE relname < t.relname)::float8 / NULLIF(sum(bytes), 0)::float8 FROM sizes
       ) AS share
  FROM session s
  LEFT JOIN pg_stat_progress_copy p ON p.pid = s.pid AND p.command = 'COPY TO'
  LEFT JOIN pg_class t ON t.oid = p.relid`;

/** Returns how far the running backup is, also of another node; null when none runs. */
export async function readBackupProgress(pool: Pool): Promise<BackupProgress | null> {
  const { rows } = await pool.query<BackupProgress>(sql, [advisoryLocks.writeBackup]);
  return rows[0] ?? null;
}

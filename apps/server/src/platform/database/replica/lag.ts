/** How far a standby is behind its primary. */
import type pg from "pg";
import type { Reader } from "#platform/database/db.ts";

/** Where the primary is. */
export interface PrimaryPosition {
  /** Number of bytes of WAL written so far. */
  written: bigint;
  /** Time of the primary's clock, in milliseconds. */
  now: number;
  database: string;
  cluster: string;
}

/** Where another server is. All values but the first are null on a server that is not a standby. */
export interface StandbyPosition {
  isStandby: boolean;
  /** Number of bytes of WAL that its queries see. */
  replayed: bigint | null;
  /** Time of the last commit that its queries see, by the primary's clock, in milliseconds. */
  committedAt: number | null;
  database: string;
  cluster: string;
}

const primarySql = `
  SELECT (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint AS written,
         extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
         current_database() AS database,
         (SELECT system_identifier FROM pg_control_system())::text AS cluster`;

const standbySql = `
  SELECT pg_is_in_recovery() AS "isStandby",
         (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::bigint AS replayed,
         extract(epoch FROM pg_last_xact_replay_timestamp())::float8 * 1000 AS "committedAt",
         current_database() AS database,
         (SELECT system_identifier FROM pg_control_system())::text AS cluster`;

export async function readPrimaryPosition(primary: Reader): Promise<PrimaryPosition> {
  const { rows } = await primary.query<PrimaryPosition>(primarySql);
  return only(rows);
}

/** @param query runs a statement on the standby */
export async function readStandbyPosition(
  query: (statement: pg.QueryConfig) => Promise<StandbyPosition[]>,
): Promise<StandbyPosition> {
  return only(await query({ text: standbySql }));
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("Postgres returned no position.");
  return row;
}

/** Positions of the primary that are remembered: more than half an hour of checks. */
const MOST_REMEMBERED = 1_000;

export interface LagMeter {
  /**
   * Returns the age of what the standby's queries see, in milliseconds; at most that, and undefined if it is not known yet.
   * @param primary read before `standby`
   */
  measure(primary: PrimaryPosition, standby: StandbyPosition): number | undefined;
}

/**
 * The time of the last replayed commit alone would report a lag whenever the primary has nothing to do. The positions of
 * the primary at earlier checks show which of them the standby has reached. Both use the clock of the primary.
 */
export function createLagMeter(): LagMeter {
  const positions: PrimaryPosition[] = [];
  return {
    measure(primary, { replayed, committedAt }) {
      positions.push(primary);
      // The second one goes, because the first may be the only one that the standby has reached.
      if (positions.length > MOST_REMEMBERED) positions.splice(1, 1);
      if (replayed === null) return undefined;
      const reached = positions.findLastIndex(({ written }) => written <= replayed);
      positions.splice(0, Math.max(reached, 0));
      const [first] = positions;
      const since = [
        ...(reached === -1 || first === undefined ? [] : [primary.now - first.now]),
        ...(committedAt === null ? [] : [primary.now - committedAt]),
      ];
      return since.length === 0 ? undefined : Math.max(0, Math.min(...since));
    },
  };
}

/**
 * Reads that may be some seconds old: screens over the request log and usage. They run on a standby of the database if
 * there is one (DATABASE_REPLICA_URL). It must not know what is read.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Activity, alwaysActive, startPeriodicTask } from "#platform/activity.ts";
import { isConnectionLoss } from "#platform/database/connection-loss.ts";
import { openConnection, silenceError } from "#platform/database/connection.ts";
import { connect, type Database, types } from "#platform/database/db.ts";
import { withinTime } from "#platform/time-limit.ts";
import { createLagMeter, readPrimaryPosition, readStandbyPosition, type StandbyPosition } from "./lag.ts";

/** What a read gets. */
export type ReadHandles = Pick<Database, "db" | "pool">;

/**
 * The database for screens that only read. Nothing that decides about money, access or limits is read from it, and
 * nothing that must show what the reader has just done.
 */
export interface ReadDatabase {
  /**
   * Runs `read` on the replica, or on the primary if there is no replica that can be used. It runs a second time, on the
   * primary, when the replica fails meanwhile.
   */
  run<T>(read: (database: ReadHandles) => Promise<T>): Promise<T>;
  /** Resolves when reads see everything committed before the call. Stops waiting after one second. */
  caughtUp(): Promise<void>;
}

/** Why the primary is read instead. */
const problems = [
  "replica_unreachable",
  "replica_lagging",
  "replica_not_standby",
  "replica_other_database",
] as const;
export type ReplicaProblem = (typeof problems)[number];

/** Where a read ran: on the replica, on the primary because of a problem, or there again because the replica failed. */
export type ReadResult = "replica" | "replica_failed" | ReplicaProblem;

export interface Replica extends ReadDatabase {
  pool: Database["pool"];
  /** The result of the last check. */
  state(): ReplicaState;
  /** Checks the replica if the last check is some seconds old. */
  check(): Promise<ReplicaState>;
  /** Number of reads so far. */
  readCounts(): ReadonlyMap<ReadResult, number>;
  close(): Promise<void>;
}

export interface ReplicaState {
  /** undefined = the replica is used. */
  problem: ReplicaProblem | undefined;
  /** Age of what the replica's queries see, in milliseconds; undefined = unknown. */
  lagMs: number | undefined;
  /** The failure to reach it. */
  error?: Error;
}

export interface ReplicaOptions {
  url: string;
  /** A replica that is further behind is not used. Milliseconds. */
  maxLagMs: number;
  primary: ReadHandles;
  activity?: Pick<Activity, "isResting" | "onWake">;
  /** Called with each result. Must not throw. */
  onCheck?(state: ReplicaState): void;
  checkMs?: number;
}

const CONNECTIONS = 5;
const CHECK_MS = 2_000;
const RESTING_CHECK_MS = 60_000;
/** Age from which the result of a check is not used any more, e.g. of one before the node rested. */
const OLDEST_CHECK_MS = 5_000;
/** Time limit of each of the two statements of a check. */
const ANSWER_MS = 2_000;
/** Connections that have received nothing for this time are dropped when a check gets no answer. */
const SILENT_MS = 1_000;
const CATCH_UP_MS = 1_000;
const LONGEST_PAUSE_MS = 100;

/** Reads from the primary. */
export function readPrimary(primary: ReadHandles): ReadDatabase {
  return { run: (read) => read(primary), caughtUp: async () => undefined };
}

/** Opens a replica and checks it until it is closed. Does not wait for it. */
export function openReplica(options: ReplicaOptions): Replica {
  const { url, maxLagMs, primary, activity = alwaysActive, onCheck, checkMs = CHECK_MS } = options;
  const database = connect(url, { max: CONNECTIONS, applicationName: "gateway-replica" });
  // Checks do not wait for a connection that screens use.
  const probe = openConnection({
    url,
    applicationName: "gateway-replica-check",
    statementMs: ANSWER_MS,
    lockMs: ANSWER_MS,
    silentMs: ANSWER_MS,
    types,
  });
  const meter = createLagMeter();
  let state: ReplicaState = { problem: "replica_unreachable", lagMs: undefined };
  let checkedAt = -Infinity;
  let running: Promise<void> | undefined;
  const reads = new Map<ReadResult, number>(
    (["replica", "replica_failed", ...problems] as const).map((result) => [result, 0]),
  );

  function count(result: ReadResult): void {
    reads.set(result, (reads.get(result) ?? 0) + 1);
  }

  const standbyPosition = () => readStandbyPosition((statement) => probe.query<StandbyPosition>(statement));

  async function examine(): Promise<ReplicaState> {
    const position = await withinTime(ANSWER_MS, readPrimaryPosition(primary.pool), () =>
      silenceError(ANSWER_MS),
    );
    let standby: StandbyPosition;
    try {
      standby = await standbyPosition();
    } catch (error) {
      database.dropSilent(SILENT_MS);
      return { problem: "replica_unreachable", lagMs: undefined, error: error as Error };
    }
    if (standby.cluster !== position.cluster || standby.database !== position.database)
      return { problem: "replica_other_database", lagMs: undefined };
    if (!standby.isStandby) return { problem: "replica_not_standby", lagMs: undefined };
    const lagMs = meter.measure(position, standby);
    const isUsable = lagMs !== undefined && lagMs <= maxLagMs;
    return { problem: isUsable ? undefined : "replica_lagging", lagMs };
  }

  function checkNow(): Promise<void> {
    running ??= examine()
      .then(
        (found) => {
          state = found;
          onCheck?.(found);
        },
        // The primary failed, so that the lag is unknown. Its own errors report it.
        () => undefined,
      )
      .finally(() => {
        checkedAt = performance.now();
        running = undefined;
      });
    return running;
  }

  async function check(): Promise<ReplicaState> {
    if (performance.now() - checkedAt > OLDEST_CHECK_MS) await checkNow();
    return state;
  }

  async function catchUp(isLate: () => boolean): Promise<void> {
    const { written } = await readPrimaryPosition(primary.pool);
    for (let pauseMs = 5; !isLate(); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const { replayed } = await standbyPosition();
      if (replayed === null || replayed >= written) return;
      await sleep(pauseMs);
    }
  }

  const checks = startPeriodicTask(
    activity,
    { everyMs: checkMs, restingMs: Math.max(checkMs, RESTING_CHECK_MS) },
    checkNow,
  );
  void checkNow();
  return {
    pool: database.pool,
    state: () => state,
    check,
    readCounts: () => reads,
    async run(read) {
      const { problem } = await check();
      if (problem !== undefined) {
        count(problem);
        return read(primary);
      }
      try {
        const result = await read(database);
        count("replica");
        return result;
      } catch (error) {
        // The connection is lost, or the standby cancelled the read to replay a change.
        if (!isConnectionLoss(error)) throw error;
        count("replica_failed");
        void checkNow();
        return read(primary);
      }
    },
    async caughtUp() {
      if (state.problem !== undefined) return;
      let isLate = false;
      const late = sleep(CATCH_UP_MS, undefined, { ref: false }).then(() => {
        isLate = true;
      });
      await Promise.race([catchUp(() => isLate), late]).catch(() => undefined);
    },
    async close() {
      await checks.close();
      await running;
      await Promise.all([probe.close(), database.close()]);
    },
  };
}

import { randomUUID } from "node:crypto";
import { Cron } from "croner";
import { currentTime } from "#platform/clock.ts";
import type { Connection } from "#platform/database/connection.ts";

/**
 * Starts recurring jobs when they are due, on one node at a time. A row of `job_schedules` has the time at which a
 * job is due next, and the node that runs it. A node claims due jobs with one statement, and reports every few
 * seconds that it is alive while one of them runs. A job whose node is silent can be claimed by another one.
 */
export interface ScheduledJob {
  name: string;
  /** Cron expression, in UTC. */
  every: string;
  /** The same while this node has no work. Default: `every`. */
  restingEvery?: string;
  /** Due when a node starts, too. */
  atStart?: boolean;
}

export interface SchedulerOptions<Job extends ScheduledJob> {
  /** A connection of its own: a heartbeat must not wait for the statements of a job. */
  connection: Pick<Connection, "query">;
  jobs: readonly Job[];
  /** Resolves to whether the run succeeded. Must not reject. */
  run(job: Job): Promise<boolean>;
  /** A job has failed after a run that succeeded, or the other way round. */
  onChange(): Promise<void>;
  /** Whether this node has no work. */
  isResting(): boolean;
  onError(error: unknown): void;
  /** Milliseconds without a heartbeat after which a job counts as dead. */
  silentAfterMs: number;
}

export interface Scheduler {
  /** Looks for due jobs now: the node rests no longer. */
  wake(): void;
  /** Starts no further job, and waits for those that run. */
  stop(): Promise<void>;
}

/** A node wakes this much later than a job is due: its clock may differ from the database's by a quarter second. */
const MARGIN_MS = 500;
/** Pause before the next attempt when the database is unavailable. */
const AGAIN_MS = 5_000;
/** A change of the clock is noticed after this time. */
const LONGEST_SLEEP_MS = 3_600_000;

export async function startScheduler<Job extends ScheduledJob>({
  connection,
  jobs,
  run,
  onChange,
  isResting,
  onError,
  silentAfterMs,
}: SchedulerOptions<Job>): Promise<Scheduler> {
  const nodeId = randomUUID();
  const running = new Map<string, Promise<void>>();
  const crons = readCrons(jobs);
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isStopped = false;

  /** Returns when a job is due after `from`; undefined for a date that never comes. */
  function nextOf({ every, restingEvery = every }: Job, from: Date): Date | undefined {
    return crons.get(isResting() ? restingEvery : every)?.nextRun(from) ?? undefined;
  }

  /**
   * Returns the latest time at which a job may have become due to be started now. A node at rest that wakes for one job
   * leaves the others until their own time at rest.
   */
  function startsDueBy({ restingEvery }: Job, now: Date): Date | "infinity" {
    if (!isResting() || restingEvery === undefined) return "infinity";
    // Croner looks for times before the given one, and ignores its milliseconds.
    return crons.get(restingEvery)?.previousRuns(1, new Date(now.getTime() + 1_000))[0] ?? "infinity";
  }

  async function claim(): Promise<Job[]> {
    const now = currentTime();
    const rows = await connection.query<{ name: string }>({
      text: `UPDATE job_schedules s SET due_at = j.next_at, node_id = $1, alive_at = now()
       FROM unnest($2::text[], $3::timestamptz[], $5::timestamptz[]) AS j(name, next_at, due_by)
       WHERE s.name = j.name AND s.due_at <= LEAST(now(), j.due_by)
       AND (s.node_id IS NULL OR s.alive_at < now() - $4 * interval '1 millisecond')
       RETURNING s.name`,
      values: [
        nodeId,
        jobs.map(({ name }) => name),
        jobs.map(({ every }) => crons.get(every)?.nextRun(now) ?? "infinity"),
        silentAfterMs,
        jobs.map((job) => startsDueBy(job, now)),
      ],
    });
    const names = new Set(rows.map(({ name }) => name));
    return jobs.filter(({ name }) => names.has(name));
  }

  async function execute(job: Job): Promise<void> {
    const hasSucceeded = await run(job);
    try {
      const rows = await connection.query<{ had_failed: boolean }>({
        text: `UPDATE job_schedules s SET node_id = NULL, failed_at = CASE WHEN $3 THEN NULL ELSE now() END
         FROM (SELECT name, failed_at IS NOT NULL AS had_failed FROM job_schedules) AS before
         WHERE s.name = $1 AND s.node_id = $2 AND before.name = s.name
         RETURNING before.had_failed`,
        values: [job.name, nodeId, hasSucceeded],
      });
      if (rows[0]?.had_failed === hasSucceeded) await onChange();
    } catch (error) {
      // Another node claims it once this one counts as silent.
      onError(error);
    }
    running.delete(job.name);
    if (running.size === 0) clearInterval(heartbeat);
  }

  function beat(): void {
    connection
      .query({ text: "UPDATE job_schedules SET alive_at = now() WHERE node_id = $1", values: [nodeId] })
      .catch(onError);
  }

  async function look(): Promise<void> {
    let pauseMs = AGAIN_MS;
    try {
      for (const job of await claim()) {
        if (running.size === 0) heartbeat = setInterval(beat, silentAfterMs / 4).unref();
        running.set(job.name, execute(job));
      }
      pauseMs = untilNext();
    } catch (error) {
      onError(error);
    }
    if (!isStopped) timer = setTimeout(start, pauseMs).unref();
  }

  function untilNext(): number {
    const now = currentTime();
    const times = jobs.flatMap((job) => nextOf(job, now)?.getTime() ?? []);
    return Math.min(LONGEST_SLEEP_MS, ...times.map((time) => time - now.getTime() + MARGIN_MS));
  }

  function start(): void {
    if (looking !== undefined || isStopped) return;
    clearTimeout(timer);
    looking = look().finally(() => {
      looking = undefined;
    });
  }

  await register(connection, jobs, crons);
  start();
  return {
    wake: start,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      await Promise.all(running.values());
      clearInterval(heartbeat);
    },
  };
}

/** Reads the expressions of jobs, each once: croner keeps 80 KB for an expression. */
function readCrons(jobs: readonly ScheduledJob[]): ReadonlyMap<string, Cron> {
  const expressions = new Set(jobs.flatMap(({ every, restingEvery = every }) => [every, restingEvery]));
  return new Map([...expressions].map((expression) => [expression, new Cron(expression, { utcOffset: 0 })]));
}

/** Adds the rows of new jobs. The first run of a job is at its next time, or at once for a job `atStart`. */
async function register(
  connection: Pick<Connection, "query">,
  jobs: readonly ScheduledJob[],
  crons: ReadonlyMap<string, Cron>,
): Promise<void> {
  const now = currentTime();
  const firstAt = jobs.map(({ every, atStart }) =>
    atStart === true ? now : (crons.get(every)?.nextRun(now) ?? "infinity"),
  );
  await connection.query({
    text: `INSERT INTO job_schedules AS s (name, due_at)
     SELECT j.name, j.first_at FROM unnest($1::text[], $2::timestamptz[]) AS j(name, first_at) ORDER BY 1
     ON CONFLICT (name) DO UPDATE SET due_at = LEAST(s.due_at, excluded.due_at)`,
    values: [jobs.map(({ name }) => name), firstAt],
  });
}

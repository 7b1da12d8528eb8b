import { createReplicaNotices } from "#domain/notices/replica.ts";
import type { Database } from "#platform/database/db.ts";
import {
  openReplica,
  type ReadDatabase,
  readPrimary,
  type Replica,
  type ReplicaProblem,
  type ReplicaState,
} from "#platform/database/replica/replica.ts";
import type { Metrics } from "#platform/metrics/metrics.ts";
import type { Context } from "./context.ts";
import type { Component } from "./parts.ts";

type Needs = Context & { database: Database; metrics: Pick<Metrics, "watch"> };

export interface Reading {
  reads: ReadDatabase;
  /** undefined = DATABASE_REPLICA_URL is not set. */
  replica: Replica | undefined;
}

/** What screens read: the standby of DATABASE_REPLICA_URL, or the database itself. A standby that is away does not prevent the start. */
export const reading: Component<Needs, Reading> = {
  name: "replica",
  open({ env, database, activity, metrics, log, onError }) {
    if (env.replica === undefined) return { reads: readPrimary(database), replica: undefined };
    const notices = createReplicaNotices(database.db, onError);
    let reported: ReplicaProblem | "used" | undefined;
    const onCheck = (state: ReplicaState) => {
      notices.note(state.problem);
      if ((state.problem ?? "used") === reported) return;
      reported = state.problem ?? "used";
      if (state.problem === undefined) log.info("Screens that only read use the replica of the database.");
      else
        log.warn(
          { problem: state.problem, lagMs: state.lagMs, err: state.error },
          "The replica of the database is not used; screens read the primary.",
        );
    };
    const replica = openReplica({ ...env.replica, primary: database, activity, onCheck });
    watchReplica(metrics, replica);
    return { reads: replica, replica };
  },
  close: ({ replica }) => replica?.close(),
};

function watchReplica(metrics: Needs["metrics"], replica: Replica): void {
  metrics.watch({
    name: "gateway_postgres_replica_used",
    help: "1 while screens read the replica, 0 while they read the primary instead; absent without a replica.",
    aggregator: "min",
    read: async () => [[(await replica.check()).problem === undefined ? 1 : 0]],
  });
  metrics.watch({
    name: "gateway_postgres_replica_reads_total",
    help: "Reads of screens by result: replica, or why they ran on the primary; absent without a replica.",
    type: "counter",
    read: async () => [...replica.readCounts()].map(([result, count]) => [count, { result }]),
  });
  metrics.watch({
    name: "gateway_postgres_replica_lag_seconds",
    help: "Age of the data that queries of the replica see; absent while it is unknown, and without a replica.",
    aggregator: "max",
    async read() {
      const { lagMs } = await replica.check();
      return lagMs === undefined ? [] : [[lagMs / 1_000]];
    },
  });
}

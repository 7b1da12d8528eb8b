import { hostname } from "node:os";
import { reasonOf } from "@gateway/shared/reasons";
import type { Db } from "#platform/database/db.ts";
import type { ReplicaProblem } from "#platform/database/replica/replica.ts";
import { raiseNotice } from "./notices.ts";

/** A short problem is not reported: the primary has answered meanwhile. */
const LASTING_MS = 60_000;
/** Interval after which a lasting problem is reported again. */
const REPEAT_MS = 3_600_000;

const reasons = {
  replica_unreachable: "replicaUnreachable",
  replica_lagging: "replicaLagging",
  replica_not_standby: "replicaNotStandby",
  replica_other_database: "replicaOtherDatabase",
} as const satisfies Record<ReplicaProblem, string>;

export interface ReplicaNotices {
  /** Takes the result of a check; undefined = the replica is used. */
  note(problem: ReplicaProblem | undefined): void;
}

/** Notifies operators about a replica that was not used for a minute. Each node has its own connection to it. */
export function createReplicaNotices(
  db: Db,
  onError: (error: unknown) => void,
  { lastingMs = LASTING_MS } = {},
): ReplicaNotices {
  let since: number | undefined;
  let raisedAt = -Infinity;
  return {
    note(problem) {
      if (problem === undefined) {
        since = undefined;
        return;
      }
      const now = performance.now();
      since ??= now;
      if (now - since < lastingMs || now - raisedAt < REPEAT_MS) return;
      raisedAt = now;
      raiseNotice(db, {
        event: "replica-unused",
        topic: `replica:${hostname()}`,
        facts: { node: hostname() },
        reason: reasonOf(reasons[problem]),
      }).catch((error: unknown) => {
        // The next check tries again.
        raisedAt = -Infinity;
        onError(error);
      });
    },
  };
}

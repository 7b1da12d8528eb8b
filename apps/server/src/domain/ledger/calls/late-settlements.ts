import type { LateHandler } from "#domain/ledger/batches/operations.ts";
import type { Shards } from "#domain/ledger/batches/shards.ts";
import type { Connection } from "#platform/database/connection.ts";
import type { CallRecord } from "./call-record.ts";
import { findLoggedOutcomes } from "./log-refused-calls.ts";

/**
 * Calls that end while the database is away. Whether a statement took effect whose reply was lost is not known until
 * the database is back: the call may be charged already, so its client must not repeat it. After
 * a wait, the response is therefore delivered, and this node goes on writing the charge.
 */
export interface LateSettlements {
  settle(record: CallRecord): Promise<"settled" | "gone" | "pending">;
  /** Number of calls whose charge waits for the database. */
  pending(): number;
}

export interface LateSettlementOptions {
  /** Writes the end of a call. Calls `late` after the usual wait. */
  settle(record: CallRecord, late: LateHandler): Promise<"settled" | "gone">;
  shards: Pick<Shards, "add">;
  connection: Pick<Connection, "query">;
  /** Returns true while this node is stopping: it does not wait for the database any longer. */
  isClosing(): boolean;
  /** Receives charges that could not be written. */
  onError(error: unknown): void;
}

export function createLateSettlements(options: LateSettlementOptions): LateSettlements {
  const { settle, shards, connection, isClosing, onError } = options;
  let waiting = 0;

  const hasLogRow = async (record: CallRecord) =>
    (await findLoggedOutcomes(connection.query, [record])).size > 0;

  // Without a cause: the log counts failures of an absent database, and a lost charge must be named.
  function reportLostCharge({ requestId, quota, userId }: CallRecord, why: string): void {
    if (quota === 0n) return;
    onError(
      new Error(
        `The call ${requestId} of user ${userId} was answered, and its charge of ${quota} points could not be written: ${why}`,
      ),
    );
  }

  /**
   * Charges a call whose reservation another node has released in the meantime, because it could not see this node.
   * A call with a log row was charged up to its checkpoint.
   */
  async function chargeAgain(record: CallRecord): Promise<void> {
    const { requestId, userId, tokenId, quota } = record;
    if (quota === 0n || (await hasLogRow(record))) return;
    const input = { requestId, userId, tokenId, amount: quota, tokenAmount: 0n };
    const { verdict } = await shards.add({ kind: "reserve", input });
    if (verdict !== "granted") return reportLostCharge(record, `its reservation was released (${verdict}).`);
    const end = await settle(record, () => !isClosing());
    if (end === "gone" && !(await hasLogRow(record)))
      reportLostCharge(record, "its reservation was released.");
  }

  return {
    pending: () => waiting,
    settle: (record) =>
      new Promise((resolve, reject) => {
        let isLate = false;
        const late = () => {
          if (isClosing()) return false;
          if (!isLate) waiting += 1;
          isLate = true;
          resolve("pending");
          return true;
        };
        settle(record, late)
          .then((end) => {
            if (!isLate) return resolve(end);
            return end === "gone" ? chargeAgain(record) : undefined;
          })
          .catch((error: unknown) => (isLate ? reportLostCharge(record, String(error)) : reject(error)))
          .finally(() => {
            if (isLate) waiting -= 1;
          });
      }),
  };
}

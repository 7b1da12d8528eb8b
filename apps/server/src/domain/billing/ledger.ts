import { LogType } from "@gateway/shared/log";
import { type CallRecord, rowOf } from "#domain/logs/record.ts";
import { conflict, databaseAway, GatewayError } from "#errors.ts";
import { isConnectionLoss } from "#platform/connection-loss.ts";
import type { Db, Pool } from "#platform/db.ts";
import { again, createBatcher, type Pending } from "./batcher.ts";
import { createLeases } from "./leases.ts";
import {
  creditStatement,
  loggedStatement,
  noteStatement,
  reservedStatement,
  type Statement,
} from "./ledger-statements.ts";
import { type ReserveInput, type Step, type TurnRow, turnStatement, turnValues } from "./ledger-turn.ts";
import { type Judgement, refusalOf, requestIdTaken } from "./verdict.ts";

/**
 * The only way to move a balance: reserve, settle, release and credit. It must not know prices, channels' health or
 * HTTP; amounts come in as whole points.
 */
export interface Ledger {
  /**
   * Holds points of a user, and of a token that has a limit, for a call, and its place among the token's calls at
   * once. Throws `insufficient_quota`, `token_quota_exhausted`, `spend_limit_reached` or `rate_limited`; `tokenAmount`
   * 0n says that the token's share is the same as the user's.
   */
  reserve(input: ReserveInput): Promise<void>;
  /**
   * Closes the reservation, charges `record.quota` (0n releases), writes the log row and the roll-up; once.
   * "gone" when no reservation was open any more: nothing was charged or written.
   */
  settle(record: CallRecord): Promise<"settled" | "gone">;
  /** The log row of a call that was refused before it reserved. Resolves when it is written or given up. */
  note(record: CallRecord): Promise<void>;
  /** Announces this node and begins to look after leases. Call it before the first reserve. */
  start(): Promise<void>;
  /** Waits for what is under way, gives back what is still held and takes this node off the list. */
  close(): Promise<void>;
}

export interface LedgerOptions {
  pool: Pool;
  /** Unique to this process. */
  nodeId: string;
  /** Background trouble: heartbeats, releases, log rows of refused calls. */
  onError: (error: unknown) => void;
  /** Hears of every turn that came back: how many calls began or ended in it, and how long it took. */
  onTurn?: (steps: number, milliseconds: number) => void;
  /** For tests: how long statements are tried again over a lost connection, and the pace of the leases. */
  retryForMs?: number;
  beatMs?: number;
  silentAfterMs?: number;
}

const maxRows = 200;
/** Log rows of refused calls that may wait while the database is away. */
const maxNotes = 20_000;
/** Two to the 53rd: amounts travel as JSON numbers. */
const largestAmount = BigInt(Number.MAX_SAFE_INTEGER);

export function createLedger(options: LedgerOptions): Ledger {
  const { pool, nodeId, onError, retryForMs = 15_000 } = options;
  /** Request ids from the beginning of their reserve to the end of their settle. */
  const open = new Set<string>();
  let closing = false;

  const leases = createLeases({
    pool,
    nodeId,
    onError,
    isOpen: (requestId) => open.has(requestId),
    ...(options.beatMs === undefined ? {} : { beatMs: options.beatMs }),
    ...(options.silentAfterMs === undefined ? {} : { silentAfterMs: options.silentAfterMs }),
  });

  async function query<Row extends object>(statement: Statement, values: unknown[]): Promise<Row[]> {
    const result = await pool.query<Row>({ ...statement, values });
    return result.rows;
  }

  const batching = { maxRows, retryForMs, isPassing: isConnectionLoss };
  const turns = createBatcher<Step, Judgement>({ ...batching, run: runTurn });
  const notes = createBatcher<CallRecord, void>({ ...batching, run: runNotes });

  async function reserved(requestIds: string[]): Promise<Set<string>> {
    if (requestIds.length === 0) return new Set();
    const rows = await query<{ request_id: string }>(reservedStatement, [requestIds, nodeId]);
    return new Set(rows.map((row) => row.request_id));
  }

  async function logged(records: CallRecord[]): Promise<Set<string>> {
    if (records.length === 0) return new Set();
    const values = [records.map((record) => record.requestId), records.map((record) => record.createdAt)];
    const rows = await query<{ request_id: string }>(loggedStatement, values);
    return new Set(rows.map((row) => row.request_id));
  }

  async function runTurn(items: readonly Pending<Step>[]): Promise<(Judgement | typeof again)[]> {
    const steps = items.map((item) => item.input);
    const began = performance.now();
    const rows = await query<TurnRow>(turnStatement, turnValues(steps, nodeId));
    options.onTurn?.(steps.length, performance.now() - began);
    const verdicts = new Map(rows.map((row) => [row.ord, row]));
    // A statement of ours whose answer was lost may have done it already, or even in the meantime.
    const unclear = items
      .filter((item, ord) => item.uncertain && !isDone(verdicts.get(ord)))
      .map((item) => item.input);
    const held = await reserved(unclear.flatMap(({ begin }) => begin?.requestId ?? []));
    const closed = await logged(unclear.flatMap(({ end }) => end ?? []));
    return steps.map(({ begin, end }, ord) => {
      const verdict = verdicts.get(ord);
      if (end !== undefined) return verdict ?? { verdict: closed.has(end.requestId) ? "settled" : "gone" };
      if (held.has(begin.requestId)) return { verdict: "granted" };
      return verdict === undefined || verdict.verdict === "again" ? again : verdict;
    });
  }

  async function runNotes(items: readonly Pending<CallRecord>[]): Promise<void[]> {
    const unclear = items.filter((item) => item.uncertain).map((item) => item.input);
    const earlier = await logged(unclear);
    const missing = items.map((item) => item.input).filter((record) => !earlier.has(record.requestId));
    if (missing.length > 0) await query(noteStatement, [rowsOf(missing)]);
    return items.map(() => undefined);
  }

  return {
    async reserve(input) {
      checkAmount(input.amount);
      checkAmount(input.tokenAmount);
      if (closing) throw new GatewayError("shutting_down", "The gateway is shutting down. Try again.");
      if (open.has(input.requestId)) throw requestIdTaken();
      open.add(input.requestId);
      let judgement: Judgement = { verdict: "taken" };
      try {
        judgement = await turns.add({ begin: input });
      } catch (error) {
        throw isConnectionLoss(error) ? databaseAway(error) : error;
      } finally {
        if (judgement.verdict !== "granted") open.delete(input.requestId);
      }
      const refusal = refusalOf(judgement);
      if (refusal !== undefined) throw refusal;
    },

    async settle(record) {
      try {
        checkAmount(record.quota);
        const { verdict } = await turns.add({ end: record });
        return verdict === "settled" ? "settled" : "gone";
      } finally {
        open.delete(record.requestId);
      }
    },

    async note(record) {
      if (notes.size >= maxNotes) {
        onError(new Error(`More than ${maxNotes} log rows wait for the database; one was dropped.`));
        return;
      }
      try {
        await notes.add(record);
      } catch (error) {
        onError(error);
      }
    },

    start: () => leases.start(),

    async close() {
      closing = true;
      await turns.idle();
      await notes.idle();
      await leases.close();
    },
  };
}

function isDone(judgement: Judgement | undefined): boolean {
  return judgement?.verdict === "granted" || judgement?.verdict === "settled";
}

function rowsOf(records: CallRecord[]): string {
  return JSON.stringify(records.map((record, ord) => ({ ord, ...rowOf(record) })));
}

function checkAmount(amount: bigint): void {
  if (amount < 0n || amount > largestAmount) {
    throw new GatewayError("internal", `An amount of ${amount} points cannot be reserved or charged.`);
  }
}

export type CreditKind = "topup" | "redemption" | "gift" | "invite" | "admin" | "refund" | "expiry" | "task";

export interface CreditInput {
  userId: number;
  kind: CreditKind;
  /** Points; negative takes away, never more than the balance minus open reservations. */
  amount: bigint;
  /** Unique within the kind: a second credit with the same reference changes nothing. */
  reference: string;
  reason: string;
  /** Who did it, when a person did. */
  actorId?: number;
  ip?: string;
  /** When the whole balance lapses from now on; left as it is when absent. */
  validUntil?: Date;
}

const logTypeOf: Record<CreditKind, number> = {
  topup: LogType.topUp,
  redemption: LogType.topUp,
  admin: LogType.manage,
  gift: LogType.system,
  invite: LogType.system,
  refund: LogType.system,
  expiry: LogType.system,
  task: LogType.system,
};

/**
 * Moves a balance with its ledger entry and log row, in the caller's transaction or one of its own. Returns the new
 * balance. Throws `invalid_request` when the balance does not cover a deduction, `conflict` when the reference
 * belongs to another credit.
 */
export async function credit(db: Db, input: CreditInput): Promise<bigint> {
  const { userId, kind, amount, reference } = input;
  if (amount === 0n || amount > largestAmount || amount < -largestAmount) {
    throw new GatewayError("invalid_request", "The amount must be a whole number of points other than 0.");
  }
  if (reference === "" || reference.length > 128) {
    throw new GatewayError("internal", "A credit needs a reference of at most 128 characters.");
  }
  const [row] = await db.$queryRawUnsafe<{ balance: bigint; entry_id: bigint | null }[]>(
    creditStatement,
    userId,
    kind,
    amount,
    reference,
    input.reason,
    input.actorId ?? null,
    logTypeOf[kind],
    input.ip ?? "",
    input.validUntil ?? null,
  );
  if (row === undefined) throw new GatewayError("not_found", "User not found.");
  if (row.entry_id !== null) return row.balance;
  const entry = await db.ledgerEntry.findUnique({ where: { kind_reference: { kind, reference } } });
  if (entry === null) {
    if (amount > 0n) throw new GatewayError("invalid_request", "The balance cannot hold that much.");
    throw new GatewayError("invalid_request", "Cannot deduct an amount exceeding the user's balance");
  }
  if (entry.user_id !== userId || entry.amount !== amount) {
    throw conflict("This reference belongs to another credit.");
  }
  const user = await db.user.findUniqueOrThrow({ where: { id: userId }, select: { quota: true } });
  return user.quota;
}

import { LogType } from "@gateway/shared/log";
import { type CallRecord, rowOf } from "#domain/logs/record.ts";
import { conflict, GatewayError } from "#errors.ts";
import type { Db, Pool } from "#platform/db.ts";
import { again, createBatcher, type Pending } from "./batcher.ts";
import { isConnectionLoss } from "./connection-loss.ts";
import { createLeases } from "./leases.ts";
import {
  creditStatement,
  loggedStatement,
  noteStatement,
  reservedStatement,
  reserveStatement,
  settleStatement,
  type Statement,
} from "./ledger-statements.ts";
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

export interface ReserveInput {
  requestId: string;
  userId: number;
  /** 0 when no token is involved. */
  tokenId: number;
  amount: bigint;
  tokenAmount: bigint;
}

export interface LedgerOptions {
  pool: Pool;
  /** Unique to this process. */
  nodeId: string;
  /** Background trouble: heartbeats, releases, log rows of refused calls. */
  onError: (error: unknown) => void;
  /** Hears of every statement that came back: how many requests shared it, and how long it took. */
  onStatement?: (name: "reserve" | "settle", requests: number, milliseconds: number) => void;
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

  async function timed<Row>(
    name: "reserve" | "settle",
    requests: number,
    rows: Promise<Row[]>,
  ): Promise<Row[]> {
    const began = performance.now();
    const answer = await rows;
    options.onStatement?.(name, requests, performance.now() - began);
    return answer;
  }

  const batching = { maxRows, retryForMs, isPassing: isConnectionLoss };
  const reserves = createBatcher<ReserveInput, Judgement>({ ...batching, run: runReserves });
  const settles = createBatcher<CallRecord, "settled" | "gone">({ ...batching, run: runSettles });
  const notes = createBatcher<CallRecord, void>({ ...batching, run: runNotes });

  async function held(items: readonly Pending<ReserveInput>[]): Promise<Set<string>> {
    if (items.length === 0) return new Set();
    const ids = items.map((item) => item.input.requestId);
    const rows = await query<{ request_id: string }>(reservedStatement, [ids, nodeId]);
    return new Set(rows.map((row) => row.request_id));
  }

  async function runReserves(items: readonly Pending<ReserveInput>[]): Promise<(Judgement | typeof again)[]> {
    // A statement whose answer was lost may have granted these.
    const before = await held(items.filter((item) => item.uncertain));
    const asking = items.filter((item) => !before.has(item.input.requestId));
    const inputs = asking.map((item) => item.input);
    const rows =
      inputs.length === 0
        ? []
        : await timed(
            "reserve",
            inputs.length,
            query<Judgement>(reserveStatement, [
              JSON.stringify(
                inputs.map((input, ord) => ({
                  ord,
                  request_id: input.requestId,
                  user_id: input.userId,
                  token_id: input.tokenId,
                  amount: String(input.amount),
                  token_amount: String(input.tokenAmount),
                })),
              ),
              nodeId,
              distinct(inputs.map((input) => input.userId)),
              distinct(inputs.map((input) => input.tokenId)),
            ]),
          );
    const verdicts = new Map(asking.map((item, index) => [item.input.requestId, rows[index]]));
    // The lost statement may even have been running still, and have taken what this one was then refused.
    const after = await held(
      asking.filter((item) => item.uncertain && verdicts.get(item.input.requestId)?.verdict !== "granted"),
    );
    return items.map(({ input: { requestId } }) => {
      if (before.has(requestId) || after.has(requestId)) return { verdict: "granted" };
      const judgement = verdicts.get(requestId);
      return judgement === undefined || judgement.verdict === "again" ? again : judgement;
    });
  }

  async function logged(records: CallRecord[]): Promise<Set<string>> {
    if (records.length === 0) return new Set();
    const values = [records.map((record) => record.requestId), records.map((record) => record.createdAt)];
    const rows = await query<{ request_id: string }>(loggedStatement, values);
    return new Set(rows.map((row) => row.request_id));
  }

  async function runSettles(items: readonly Pending<CallRecord>[]): Promise<("settled" | "gone")[]> {
    const records = items.map((item) => item.input);
    const rows = await timed(
      "settle",
      records.length,
      query<{ ord: number }>(settleStatement, [
        rowsOf(records),
        distinct(records.map((record) => record.userId)),
        distinct(records.map((record) => record.tokenId)),
        distinct(records.filter((record) => record.quota > 0n).map((record) => record.channelId)),
        records.map((record) => record.requestId),
      ]),
    );
    const settled = new Set(rows.map((row) => row.ord));
    // Closed by a statement of ours whose answer was lost, or by someone else? Our log row tells.
    const unclear = items.filter((item, ord) => item.uncertain && !settled.has(ord));
    const earlier = await logged(unclear.map((item) => item.input));
    return items.map(({ input, uncertain }, ord) =>
      settled.has(ord) || (uncertain && earlier.has(input.requestId)) ? "settled" : "gone",
    );
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
        judgement = await reserves.add(input);
      } finally {
        if (judgement.verdict !== "granted") open.delete(input.requestId);
      }
      const refusal = refusalOf(judgement);
      if (refusal !== undefined) throw refusal;
    },

    async settle(record) {
      checkAmount(record.quota);
      try {
        return await settles.add(record);
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
      await reserves.idle();
      await settles.idle();
      await notes.idle();
      await leases.close();
    },
  };
}

function distinct(ids: number[]): number[] {
  return [...new Set(ids)].filter((id) => id !== 0);
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

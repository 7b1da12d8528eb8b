import { LogType } from "@gateway/shared/log";
import type { CallRecord } from "#domain/ledger/call-record.ts";
import { conflict, GatewayError } from "#errors.ts";
import { databaseTrouble, isConnectionLoss, isDiskFull } from "#platform/connection-loss.ts";
import { openConnection } from "#platform/connection.ts";
import { type Database, type Db, types } from "#platform/db.ts";
import { createBatcher } from "./batcher.ts";
import { createBreaker } from "./breaker.ts";
import { collectStatement } from "./channel-charges.ts";
import { createLeases } from "./leases.ts";
import { writeNotes } from "./ledger-notes.ts";
import { createShards } from "./ledger-shards.ts";
import { beatStatement, creditStatement, releaseStatement, spaceStatement } from "./ledger-statements.ts";
import type { ReserveInput } from "./ledger-turn.ts";
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
   * Reserves anew for a call that turned out to cost more. What it had reserved is given back first, so after an
   * error nothing is reserved. Throws as `reserve` does.
   */
  raise(input: ReserveInput): Promise<void>;
  /**
   * Closes the reservation, charges `record.quota` (0n releases), writes the log row and the roll-up; once.
   * "gone" when no reservation was open any more: nothing was charged or written.
   */
  settle(record: CallRecord): Promise<"settled" | "gone">;
  /** The reservation is not this node's any more: `settle` of any node closes it. See domain/responses/background.ts. */
  handedOver(requestId: string): void;
  /** The log row of a call that was refused before it reserved. Resolves when it is written or given up. */
  note(record: CallRecord): Promise<void>;
  /**
   * How the database serves the ledger: for how long nothing has succeeded, and how old the oldest call is that waits
   * for a batch. Undefined while nothing waits and nothing fails.
   */
  trouble(): LedgerTrouble | undefined;
  /** Announces this node and begins to look after leases. Call it before the first reserve. */
  start(): Promise<void>;
  /** Waits for what is under way, gives back what is still held and takes this node off the list. */
  close(): Promise<void>;
}

export interface LedgerTrouble {
  failingMs: number;
  batchMs: number;
  error: unknown;
}

export interface LedgerOptions {
  database: Pick<Database, "pool" | "url" | "applicationName" | "dropSilent">;
  /** Unique to this process. */
  nodeId: string;
  /** Background trouble: heartbeats, releases, log rows of refused calls, a database that is away. */
  onError: (error: unknown) => void;
  /** Receives every batch that came back: how many calls began or ended in it, and how long it took. */
  onBatch?: (steps: number, milliseconds: number) => void;
  /** Batches under way at a time, each on a connection of its own; an account's calls are all in one of them. */
  shards?: number;
  /** For tests: how long statements are tried again over a lost connection, and the pace of the leases. */
  retryForMs?: number;
  beatMs?: number;
  silentAfterMs?: number;
  /** For tests: when a batch counts as lost, how long it waits for a lock, and when calls are refused at once. */
  silentMs?: number;
  lockMs?: number;
  openAfterMs?: number;
}

const maxRows = 200;
/** Measured in docs/money.md. */
const defaultShards = 2;
/** Log rows of refused calls that may wait while the database is away. */
const maxNotes = 20_000;
/** Two to the 53rd: amounts travel as JSON numbers. */
const largestAmount = BigInt(Number.MAX_SAFE_INTEGER);
/** A call that has not begun is not worth waiting long for a disk that is full. */
const beginOnFullDiskMs = 2_000;
const longestBeginMs = 10_000;
const chargesEveryMs = 5_000;
const keeperSilentMs = 4_000;

export function createLedger(options: LedgerOptions): Ledger {
  const { database, nodeId, onError, retryForMs = 15_000, silentMs = 10_000 } = options;
  const { pool } = database;
  /** Request ids from the beginning of their reserve to the end of their settle. */
  const open = new Set<string>();
  let closing = false;
  /** Something was charged since the channels' sums were brought up to date. */
  let charged = false;

  const connect = (mostSilentMs: number) =>
    openConnection({
      url: database.url,
      applicationName: database.applicationName,
      statementMs: Math.ceil(mostSilentMs * 0.8),
      lockMs: options.lockMs ?? 250,
      silentMs: mostSilentMs,
      types,
    });
  /** For what must not wait for a batch: heartbeats, releases, and the question whether the database works. */
  const keeper = connect(keeperSilentMs);
  const leases = createLeases({
    connection: keeper,
    nodeId,
    onError,
    isOpen: (requestId) => open.has(requestId),
    ...(options.beatMs === undefined ? {} : { beatMs: options.beatMs }),
    ...(options.silentAfterMs === undefined ? {} : { silentAfterMs: options.silentAfterMs }),
  });
  const breaker = createBreaker({
    openAfterMs: options.openAfterMs ?? longestBeginMs,
    async probe(full) {
      await keeper.query({ ...beatStatement, values: [nodeId] });
      if (full) await keeper.query({ text: spaceStatement });
    },
    onChange: (message, cause) => onError(new Error(message, { cause })),
  });
  const shards = createShards({
    count: options.shards ?? defaultShards,
    nodeId,
    connect: () => connect(silentMs),
    onSilence: database.dropSilent,
    maxRows,
    breaker,
    retryForMs: ({ begin }) => {
      if (begin === undefined) return retryForMs;
      const full = isDiskFull(breaker.trouble()?.error);
      return Math.min(retryForMs, full ? beginOnFullDiskMs : longestBeginMs);
    },
    ...(options.onBatch === undefined ? {} : { onBatch: options.onBatch }),
  });
  const notes = createBatcher<CallRecord, void>({
    maxRows,
    retryForMs: () => retryForMs,
    isPassing: isConnectionLoss,
    run: (items) => writeNotes(pool, items),
  });

  const chargesTimer = setInterval(() => {
    if (charged) void collect().catch(onError);
  }, chargesEveryMs);
  chargesTimer.unref();

  async function collect(): Promise<void> {
    charged = false;
    try {
      await pool.query(collectStatement);
    } catch (error) {
      charged = true;
      throw error;
    }
  }

  async function reserve(input: ReserveInput): Promise<void> {
    checkAmount(input.amount);
    checkAmount(input.tokenAmount);
    if (closing) throw new GatewayError("shutting_down", "The gateway is shutting down. Try again.");
    const refused = breaker.refusal();
    if (refused !== undefined) throw refused;
    if (open.has(input.requestId)) throw requestIdTaken();
    open.add(input.requestId);
    let judgement: Judgement = { verdict: "taken" };
    try {
      judgement = await shards.add({ begin: input });
    } catch (error) {
      throw databaseTrouble(error) ?? error;
    } finally {
      if (judgement.verdict !== "granted") open.delete(input.requestId);
    }
    const refusal = refusalOf(judgement);
    if (refusal !== undefined) throw refusal;
  }

  return {
    reserve,

    async raise(input) {
      const { requestId, userId, tokenId } = input;
      try {
        await pool.query({ ...releaseStatement, values: [[requestId], [userId], [tokenId]] });
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        // Whatever is still held is released as forgotten.
        open.delete(requestId);
      }
      await reserve(input);
    },

    async settle(record) {
      try {
        checkAmount(record.quota);
        const { verdict } = await shards.add({ end: record });
        if (verdict === "settled" && record.quota > 0n) charged = true;
        return verdict === "settled" ? "settled" : "gone";
      } catch (error) {
        throw databaseTrouble(error) ?? error;
      } finally {
        open.delete(record.requestId);
      }
    },

    handedOver: (requestId) => void open.delete(requestId),

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

    trouble() {
      const failing = breaker.trouble();
      const batchMs = shards.ageMs();
      if (failing === undefined && batchMs === 0) return undefined;
      return { failingMs: failing?.forMs ?? 0, batchMs, error: failing?.error };
    },

    start: () => leases.start(),

    async close() {
      closing = true;
      await shards.idle();
      await notes.idle();
      clearInterval(chargesTimer);
      await breaker.close();
      await shards.close();
      await leases.close();
      await keeper.close();
      if (charged) await collect();
    },
  };
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

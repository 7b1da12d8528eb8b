import { setTimeout as sleep } from "node:timers/promises";
import {
  type ComparisonDetail,
  type ComparisonEvent,
  type ComparisonInput,
  ComparisonReport,
  type ComparisonRow,
  MAX_COMPARED_CALLS,
} from "@gateway/shared/site/comparison";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { requireGatewayAddress, requireNetworkAddress } from "#migration/addresses.ts";
import { products } from "#migration/products/index.ts";
import type { Product } from "#migration/products/product.ts";
import { requireProduct } from "#migration/refusals.ts";
import { failureOf } from "#migration/run-failure.ts";
import { openLogApi } from "#migration/sources/log-api.ts";
import { openSource } from "#migration/sources/open-source.ts";
import type { Source } from "#migration/sources/source.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Database } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { compareCharges } from "./compare-charges.ts";

/** Comparisons that the console starts, and their kept reports. One runs at a time on a node, for its memory. */
export interface Comparisons {
  /**
   * Checks and starts a comparison. Yields what happens until its report is kept or it has failed. Leaving the
   * generator cancels it. Throws `invalid_request`, `not_found`, and `conflict` while another one runs.
   */
  start(input: ComparisonInput): Promise<AsyncGenerator<ComparisonEvent>>;
  /** The newest first. */
  list(): Promise<ComparisonRow[]>;
  /** Throws `not_found`. */
  get(id: number): Promise<ComparisonDetail>;
  /** Gives the running comparison up, and waits for its end. */
  close(): Promise<void>;
}

interface ComparisonDeps extends Pick<Database, "pool"> {
  db: PrismaClient;
  onError(error: unknown): void;
  /** Longest comparison, in minutes. */
  minutes?: number;
}

interface Progress {
  stop: AbortController;
  rows: { there: number };
}

const kept = 20;
const progressMs = 400;

export function createComparisons({ db, pool, onError, minutes = 5 }: ComparisonDeps): Comparisons {
  let running: (Progress & { work: Promise<ComparisonEvent> }) | undefined;

  async function execute(
    input: ComparisonInput,
    product: Product,
    channel: { id: number; name: string },
    { stop, rows }: Progress,
  ): Promise<ComparisonEvent> {
    const late = setTimeout(
      () => stop.abort(conflict({ reason: "comparison_timeout", minutes })),
      minutes * 60_000,
    );
    try {
      const report = await compare(input, product, channel, stop.signal, rows);
      return { type: "done", id: await keep(report) };
    } catch (error) {
      return { type: "failed", failure: failureOf(error, onError) };
    } finally {
      clearTimeout(late);
      running = undefined;
    }
  }

  async function compare(
    input: ComparisonInput,
    product: Product,
    channel: { id: number; name: string },
    signal: AbortSignal,
    rows: { there: number },
  ): Promise<ComparisonReport> {
    const until = currentTime();
    const opening = open(input, product, until, signal);
    try {
      const source = await orAborted(opening, signal);
      return await orAborted(
        compareCharges({
          database: { pool },
          source,
          product,
          channel,
          keyName: input.key_name,
          username: input.username === "" ? undefined : input.username,
          since: new Date(until.getTime() - input.hours * 3_600_000),
          until,
          windowMs: input.window_seconds * 1_000,
          tolerance: BigInt(input.tolerance),
          mostCalls: MAX_COMPARED_CALLS,
          onRow(count) {
            signal.throwIfAborted();
            rows.there = count;
          },
        }),
        signal,
      );
    } finally {
      // Also a connection that is established too late, and the query that it is waiting for.
      opening.then((source) => source.close()).catch(() => undefined);
    }
  }

  async function keep(report: ComparisonReport): Promise<number> {
    const { id } = await db.comparison.create({ data: { report }, select: { id: true } });
    const oldest = await db.comparison.findFirst({
      orderBy: { id: "desc" },
      skip: kept,
      select: { id: true },
    });
    if (oldest !== null) await db.comparison.deleteMany({ where: { id: { lte: oldest.id } } });
    return id;
  }

  return {
    async start(input) {
      const product = products.find(({ id }) => id === input.product);
      if (product === undefined) throw invalidRequest({ reason: "import_product_unknown", field: "product" });
      if (input.source.kind === "database") requireNetworkAddress(input.source.address);
      else if (!hasLogApi(product))
        throw invalidRequest({ reason: "comparison_no_api", product: product.title });
      else requireGatewayAddress(input.source.url);
      const channel = await db.channel.findFirst({
        where: { id: input.channel_id, deleted_at: null },
        select: { id: true, name: true },
      });
      if (channel === null) throw notFound({ reason: "channel_not_found" }, { field: "channel_id" });
      // Nothing is awaited from here on, so that no other request starts one in between.
      if (running !== undefined) throw conflict({ reason: "comparison_running" });
      const progress = { stop: new AbortController(), rows: { there: 0 } };
      const work = execute(input, product, channel, progress);
      running = { ...progress, work };
      return follow(running);
    },
    async list() {
      const rows = await db.comparison.findMany({ orderBy: { id: "desc" }, take: kept });
      return rows.flatMap(({ id, created_time, report: stored }) => {
        const report = ComparisonReport.safeParse(stored).data;
        if (report === undefined) return [];
        return { ...report, id, created_time: unixTime(created_time), title: titleOf(report.product) };
      });
    },
    async get(id) {
      const row = await db.comparison.findUnique({ where: { id } });
      const report = ComparisonReport.safeParse(row?.report).data;
      if (row === null || report === undefined) throw notFound({ reason: "comparison_not_found" });
      return { id, created_time: unixTime(row.created_time), title: titleOf(report.product), report };
    },
    async close() {
      running?.stop.abort(cancelledError());
      await running?.work;
    },
  };
}

async function* follow({
  stop,
  rows,
  work,
}: Progress & { work: Promise<ComparisonEvent> }): AsyncGenerator<ComparisonEvent> {
  try {
    for (;;) {
      const end = await Promise.race([work, sleep(progressMs)]);
      yield end ?? { type: "progress", there: rows.there };
      if (end !== undefined) return;
    }
  } finally {
    stop.abort(cancelledError());
  }
}

function cancelledError() {
  return conflict({ reason: "comparison_cancelled" });
}

/** One Hub, One API and New API have the same kind of management API. */
export function hasLogApi(product: Product): boolean {
  return product.onlyPostgres !== true;
}

async function open(
  { source, key_name: keyName }: ComparisonInput,
  product: Product,
  until: Date,
  signal: AbortSignal,
): Promise<Source> {
  if (source.kind === "api")
    return openLogApi({
      product,
      address: source.url,
      accessToken: source.access_token,
      userId: source.user_id,
      keyName,
      until,
      signal,
    });
  const opened = await openSource(source.address);
  try {
    requireProduct(opened, product, products);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Rejects with the signal's reason when it aborts before the promise settles. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    // What it throws after it was given up concerns no one.
    promise.catch(() => undefined);
  }
}

function titleOf(id: string): string {
  return products.find((product) => product.id === id)?.title ?? id;
}

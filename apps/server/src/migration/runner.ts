import type { ImportStart } from "@gateway/shared/site/migration";
import { GatewayError } from "#errors.ts";
import { type Database, connect } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { parseLitellmConfig } from "./litellm/config.ts";
import { products } from "./products/index.ts";
import type { LitellmInput } from "./products/product.ts";
import { requireProduct } from "./refusals.ts";
import { failureOf } from "./run-failure.ts";
import { creditPoints, runImport } from "./run-import.ts";
import { beat, beginRun, endRun, openRun, type ImportProgress } from "./runs.ts";
import { openSource } from "./sources/open-source.ts";
import { createUploads, type UploadLimits } from "./uploads.ts";

/** Executes the imports that were started on this node, one at a time on all nodes. */
export interface ImportRunner {
  /**
   * Starts a run and returns its id at once. A run without an address waits for its file, unless this node has
   * the one of `file_of`.
   * @param token the set-up link, which may read the run later
   */
  start(input: RunInput, token: string): Promise<number>;
  /** Stores the file of a run that waits for it, and runs it. Throws the errors of the upload. */
  receive(run: WaitingRun, name: string, body: AsyncIterable<Buffer>): Promise<void>;
  /** Gives the active run up and waits for its end. Nothing of it is kept. */
  close(): Promise<void>;
}

type RunInput = Pick<ImportStart, "product" | "dry_run" | "file_of" | "prices"> & {
  address: string;
  log_days: number;
  litellm?: LitellmGiven | undefined;
};

interface LitellmGiven {
  config: string;
  salt_key: string;
  credit?: number | undefined;
}

export interface WaitingRun {
  id: number;
  product: string;
  dry_run: boolean;
  log_days: number;
  prices: unknown;
  /** Only in memory: it has a secret. A run that waits for a file has none. */
  litellm?: LitellmGiven | undefined;
}

interface RunnerDeps {
  db: PrismaClient;
  secrets: Secrets;
  databaseUrl: string;
  dataDir: string;
  onError(error: unknown): void;
  uploads?: UploadLimits;
}

const beatMs = 700;
/** A single statement of an import reads or writes whole tables. */
const longestStatementMs = 24 * 3_600_000;

class ImportStopped extends Error {}

export function createImportRunner(deps: RunnerDeps): ImportRunner {
  const { db, secrets } = deps;
  const uploads = createUploads(deps.dataDir, deps.uploads);
  uploads.sweep().catch(deps.onError);
  const closing = new AbortController();
  const open = new Set<Promise<void>>();

  async function execute(run: WaitingRun, from: string, origin: string | undefined): Promise<void> {
    const progress: ImportProgress = [];
    const stop = new AbortController();
    const note = (kind: string, rows: number) => {
      if (stop.signal.aborted || closing.signal.aborted) throw new ImportStopped();
      const last = progress.at(-1);
      if (last?.kind === kind) last.rows = rows;
      else progress.push({ kind, rows });
    };
    const pulse = setInterval(() => {
      beat(db, run.id, progress).then((wanted) => {
        if (!wanted) stop.abort();
      }, deps.onError);
    }, beatMs);
    try {
      const report = await importFrom(run, from, origin, note);
      await endRun(db, run.id, "done", { report, progress });
      if (!run.dry_run && report.ok) await uploads.clear();
    } catch (error) {
      if (error instanceof ImportStopped)
        await endRun(db, run.id, closing.signal.aborted ? "interrupted" : "cancelled", { progress });
      else await endRun(db, run.id, "failed", { failure: failureOf(error, deps.onError), progress });
    } finally {
      clearInterval(pulse);
    }
  }

  async function importFrom(
    run: WaitingRun,
    from: string,
    origin: string | undefined,
    progress: (kind: string, rows: number) => void,
  ) {
    const product = productOf(run.product);
    const litellm = litellmInput(run.litellm);
    const opened = await openSource(from);
    // Its own connections: the time limits of the server's are far too short for an import.
    let database: Database | undefined;
    try {
      const source = origin === undefined ? opened : { ...opened, origin };
      requireProduct(source, product, products);
      database = connect(deps.databaseUrl, {
        max: 2,
        applicationName: "gateway import",
        statementMs: longestStatementMs,
      });
      return await runImport({
        database,
        secrets,
        source,
        product,
        dryRun: run.dry_run,
        logDays: run.log_days,
        priceFile: run.prices ?? undefined,
        ...(product.id === "litellm" ? { litellm, creditPoints: creditPoints(run.litellm?.credit) } : {}),
        progress,
      });
    } finally {
      await opened.close();
      await database?.close();
    }
  }

  function begin(run: WaitingRun, from: string, origin?: string): void {
    const going = execute(run, from, origin)
      .catch(deps.onError)
      .finally(() => open.delete(going));
    open.add(going);
  }

  return {
    async start(input, token) {
      productOf(input.product);
      const known = input.file_of === undefined ? undefined : await uploads.find(input.file_of);
      const earlier =
        known === undefined ? null : await db.importRun.findUnique({ where: { id: input.file_of ?? 0 } });
      const origin = input.address === "" ? (earlier?.origin ?? "") : describeAddress(input.address);
      const from = input.address === "" ? known : input.address;
      const id = await openRun(db, secrets, input, {
        token,
        origin,
        status: from === undefined ? "waiting" : "running",
      });
      const run = { id, ...input, prices: input.prices };
      if (from !== undefined) begin(run, from, input.address === "" ? origin : undefined);
      return id;
    },
    async receive(run, name, body) {
      const path = await uploads.receive(run.id, body);
      await beginRun(db, run.id, name);
      begin(run, path, name);
    },
    async close() {
      closing.abort();
      await Promise.all(open);
    },
  };
}

function litellmInput(given: LitellmGiven | undefined): LitellmInput {
  const { config = "", salt_key: saltKey = "" } = given ?? {};
  return {
    config: config.trim() === "" ? undefined : parseLitellmConfig(config, "config.yaml"),
    saltKey: saltKey === "" ? undefined : saltKey,
    // The server's own variables have its secrets, which a channel could send anywhere.
    environment: {},
  };
}

function productOf(id: string) {
  const product = products.find((each) => each.id === id);
  if (product === undefined)
    throw new GatewayError("invalid_request", { reason: "import_product_unknown", field: "product" });
  return product;
}

/** Host and database, without user and password. */
function describeAddress(address: string): string {
  const { hostname, port, pathname } = new URL(address);
  return `${hostname}${port === "" ? "" : `:${port}`}${pathname}`;
}

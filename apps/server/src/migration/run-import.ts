import { POINTS_PER_USD } from "@gateway/shared/billing/money";
import { writeAudit, systemActor } from "#domain/audit-log/audit.ts";
import { bookOpeningBalances, createOpeningTables } from "#domain/ledger/balances/opening-balances.ts";
import { ensurePartitions } from "#domain/logs/partitions.ts";
import { takeSettings } from "#domain/settings/settings.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import { type BatchStatement, batchStatements } from "#platform/database/batch-statement.ts";
import { connect, type Database, type Db } from "#platform/database/db.ts";
import { createTables, migrationsFolder } from "#platform/database/migrate.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { LitellmInput, Product, ReadContext } from "./products/product.ts";
import { auditDrift, compareBalances, createKeySample, recomputeCharges, tryKeys } from "./proof.ts";
import { requireEmpty, listUnknownColumns } from "./refusals.ts";
import { createReportBook, type ImportReport } from "./report.ts";
import { parseJson, seconds, text } from "./row.ts";
import type { Source } from "./sources/source.ts";
import { reportUnpricedModels } from "./unpriced.ts";
import { writeChannels } from "./write/channels.ts";
import { writeGroups } from "./write/groups.ts";
import { writeLogs } from "./write/logs.ts";
import { writeMenus } from "./write/menus.ts";
import { writeModelInfo, writeModelOwners } from "./write/models.ts";
import { writeOrders, writePayments, writePrices, writeRedemptions } from "./write/money.ts";
import { nameRejectedRows } from "./write/rejected-rows.ts";
import { writeTasks } from "./write/tasks.ts";
import { writeTokens } from "./write/tokens.ts";
import { writeUsage } from "./write/usage.ts";
import { dateUsers, writePasskeys, writeSecondFactors, writeUsers } from "./write/users.ts";
import type { WriteContext } from "./write/write-context.ts";

/**
 * One import: everything in one transaction, so that a process that dies leaves nothing behind and the next run begins
 * anew. The proof runs in it, too: what does not add up is never committed.
 */
export interface ImportOptions {
  database: Database;
  secrets: Secrets;
  source: Source;
  product: Product;
  dryRun: boolean;
  /** Days of the request log to import; 0 for none. */
  logDays: number;
  priceFile: unknown;
  /** For the import of LiteLLM. */
  litellm?: LitellmInput;
  /** Balance of accounts that had no budget, in points. */
  creditPoints?: bigint | undefined;
  /** Rows written so far. Throws to give up; nothing is kept then. */
  progress(kind: string, rows: number): void;
}

export function creditPoints(dollars: number | undefined): bigint | undefined {
  return dollars === undefined ? undefined : BigInt(Math.round(dollars * POINTS_PER_USD));
}

/** Ends the transaction of an import that is not to be kept. */
class NotKept extends Error {
  readonly report: ImportReport;

  constructor(report: ImportReport) {
    super("The import is not kept.");
    this.report = report;
  }
}

const longestMs = 24 * 3_600_000;

/** Older days of an imported log share one partition: each day is a table with its own indexes. */
const mostLogPartitions = 92;

export async function runImport(options: ImportOptions): Promise<ImportReport> {
  const { database, dryRun } = options;
  if (!dryRun)
    await ensurePartitions(database.pool, 7, { daysBehind: Math.min(options.logDays, mostLogPartitions) });
  const own = connect(database.url, {
    max: 1,
    applicationName: database.applicationName,
    statementMs: longestMs,
  });
  const run = batchStatements(own);
  try {
    return await own.db.$transaction(
      async (tx) => {
        // Reading the source may take longer than a transaction of the gateway may rest.
        await tx.$executeRawUnsafe("SET LOCAL idle_in_transaction_session_timeout = 0");
        await tx.$executeRawUnsafe("SET LOCAL statement_timeout = 0");
        if (dryRun && !(await hasTables(tx))) await createTables((sql) => run(sql, []), migrationsFolder);
        await tx.$executeRawUnsafe("LOCK TABLE imports IN SHARE ROW EXCLUSIVE MODE");
        await requireEmpty(tx);
        const report = await importAll(tx, run, options);
        if (dryRun || !report.ok) throw new NotKept(report);
        await keep(tx, options, report);
        return report;
      },
      { timeout: longestMs, maxWait: 60_000 },
    );
  } catch (error) {
    if (error instanceof NotKept) return error.report;
    throw error;
  } finally {
    await own.close();
  }
}

/** A dry run needs no installation: its transaction creates the tables, and rolls them back. */
async function hasTables(tx: Db): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ there: boolean }[]>`SELECT to_regclass('imports') IS NOT NULL AS there`;
  return row?.there === true;
}

async function importAll(tx: Db, run: BatchStatement, options: ImportOptions): Promise<ImportReport> {
  const { source, product, secrets, progress, dryRun } = options;
  const now = currentTime();
  const book = createReportBook();
  const read: ReadContext = {
    source,
    book,
    options: await readOptions(source),
    now,
    priceFile: options.priceFile,
    ...(options.litellm === undefined ? {} : { litellm: options.litellm }),
    creditPoints: options.creditPoints,
  };
  const groups = await writeGroups(tx, book, product.groups(read));
  const write: WriteContext = { tx, run, secrets, book, groups, now, progress };
  const sample = createKeySample();

  await createOpeningTables(tx);
  await writeUsers(write, product.users(read));
  await writeTokens(write, product.tokens(read), sample.add);
  await dateUsers(write);
  await writeChannels(write, product.channels(read));
  await writePrices(write, product.prices(read));
  await writeRest(write, read, product);
  if (product.usage !== undefined) await writeUsage(write, product.usage(read));
  progress("balances", 0);
  const reason = `Balance from ${product.title}, ${now.toISOString().slice(0, 10)}`;
  const opening = { source: product.id, reason, hour: await openingHour(product, read) };
  await nameRejectedRows("balances", bookOpeningBalances(tx, opening));
  if (options.logDays > 0 && product.logs !== undefined)
    await writeLogs(write, product.logs(read, new Date(now.getTime() - options.logDays * 86_400_000)));
  noteSettings(book, await takeSettings(tx, secrets, settingsOf(product, read)));
  await reportUnpricedModels(tx, book);
  noteUnit(read);

  await tx.$executeRawUnsafe(`ANALYZE ${largeTables.join(", ")}`);
  progress("proof", 0);
  const balances = await compareBalances(tx, product, read);
  noteTotals(book, balances.totals);
  const proof = {
    balances_compared: balances.compared,
    balances_different: balances.different,
    balances: balances.named,
    audit_drift: await auditDrift(tx),
    keys_tried: sample.kept.length,
    keys_failed: await tryKeys(tx, secrets, sample.kept, now),
    ...(product.charges === undefined
      ? { charges_compared: 0, charges_different: [], charges_not_comparable: 0 }
      : await recomputeCharges(tx, product.charges(read))),
  };
  const quota = balances.totals.users_quota;
  return {
    format: 1,
    product: product.id,
    origin: source.origin,
    dry_run: dryRun,
    started_at: now.toISOString(),
    finished_at: currentTime().toISOString(),
    counts: book.counts(),
    totals: balances.totals,
    unknown: listUnknownColumns(source, product),
    notes: book.notes(),
    proof,
    ok:
      proof.balances_different === 0 &&
      quota.source === quota.here &&
      proof.audit_drift === "0" &&
      proof.keys_failed.length === 0 &&
      proof.charges_different.length === 0,
  };
}

async function writeRest(write: WriteContext, read: ReadContext, product: Product): Promise<void> {
  if (product.passkeys !== undefined) await writePasskeys(write, product.passkeys(read));
  if (product.secondFactors !== undefined) await writeSecondFactors(write, product.secondFactors(read));
  await writeRedemptions(write, product.redemptions(read));
  if (product.payments !== undefined) await writePayments(write, product.payments(read));
  if (product.orders !== undefined) await writeOrders(write, product.orders(read));
  if (product.tasks !== undefined) await writeTasks(write, product.tasks(read));
  if (product.modelOwners !== undefined) await writeModelOwners(write, product.modelOwners(read));
  if (product.modelInfo !== undefined) await writeModelInfo(write, product.modelInfo(read));
  if (product.menus !== undefined) await writeMenus(write, product.menus(read));
}

export async function readOptions(source: Source): Promise<Map<string, string>> {
  const options = new Map<string, string>();
  if (!source.columns.has("options")) return options;
  for await (const row of source.rows({ table: "options" }))
    options.set(text(row, "key"), text(row, "value"));
  return options;
}

/** Balances never lapsed there; a top-up here would otherwise begin to count days. */
function settingsOf(product: Product, read: ReadContext): Record<string, string> {
  return { QuotaValidityDays: "0", ...product.settings(read) };
}

function noteSettings(book: ReadContext["book"], outcome: Awaited<ReturnType<typeof takeSettings>>): void {
  for (const key of [...outcome.taken, ...outcome.refused, ...outcome.unknown].filter(
    (name) => name !== "QuotaValidityDays",
  ))
    if (key !== "") book.read("settings");
  book.imported("settings", outcome.taken.filter((name) => name !== "QuotaValidityDays").length);
  for (const key of outcome.refused) book.skip("settings", "setting_refused", key);
  for (const key of outcome.unknown) book.skip("settings", "setting_unknown", key);
  for (const key of outcome.switchedOff) book.attention("setting_switched_off", key);
  book.note("balances_last");
}

function noteUnit({ options, book }: ReadContext): void {
  const unit = Number(parseJson(options.get("QuotaPerUnit") ?? "") ?? POINTS_PER_USD);
  if (unit !== POINTS_PER_USD) book.attention("quota_per_unit", String(unit));
}

function noteTotals(book: ReadContext["book"], totals: ImportReport["totals"]): void {
  for (const [code, pair] of [
    ["used_total", totals.users_used_quota],
    ["used_tokens", totals.tokens_used_quota],
  ] as const)
    if (pair.source !== pair.here) book.note(code, `${pair.source} → ${pair.here}`);
}

/** The month before the source's first trace: charges without a date are no one's usage of today. */
async function openingHour(product: Product, read: ReadContext): Promise<Date> {
  const { source, now } = read;
  const earliest: number[] = [];
  const start = await product.start?.(read);
  if (start !== undefined) earliest.push(start.getTime());
  for (const [table, column] of [
    ["logs", "created_at"],
    ["users", "created_time"],
    ["users", "created_at"],
  ] as const)
    if (source.columns.get(table)?.has(column) === true)
      for await (const row of source.rows({
        table,
        orderBy: column,
        atLeast: { column, value: 1 },
        limit: 1,
      }))
        earliest.push(seconds(row, column)?.getTime() ?? now.getTime());
  if (source.columns.get("statistics")?.has("date") === true)
    for await (const row of source.rows({ table: "statistics", orderBy: "date", limit: 1 }))
      earliest.push(Date.parse(text(row, "date").slice(0, 10)) || now.getTime());
  // Nothing of this kind is older; statements are made for every month from here on.
  const first = new Date(Math.max(Date.UTC(2022, 0), Math.min(now.getTime(), ...earliest)));
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() - 1));
}

/** Tables that get many rows. Until autovacuum sees them, the planner would take them for empty. */
const largeTables = [
  "users",
  "identities",
  "tokens",
  "ledger_entries",
  "usage_hours",
  "orders",
  "redemptions",
  "request_logs",
];

const numbered = ["users", "tokens", "channels", "user_groups", "redemptions", "payments", "orders"];

async function keep(tx: Db, { product, source }: ImportOptions, report: ImportReport): Promise<void> {
  for (const table of numbered)
    await tx.$executeRawUnsafe(
      `SELECT setval(pg_get_serial_sequence('${table}', 'id'), GREATEST(1, (SELECT max(id) FROM ${table})))`,
    );
  // Hours that were summed before are summed again, with the imported ones.
  await tx.$executeRawUnsafe("DELETE FROM usage_progress");
  await tx.import.create({
    data: {
      product: product.id,
      origin: source.origin.slice(0, 300),
      report: report as unknown as Prisma.InputJsonObject,
    },
  });
  await tx.oneTimeCode.deleteMany({ where: { purpose: "setup" } });
  await writeAudit(tx, {
    actor: systemActor,
    action: "import.run",
    targetType: "import",
    targetId: product.id,
    after: { origin: source.origin, counts: report.counts, totals: report.totals },
  });
  for (const topic of ["channels", "tokens", "users", "groups", "prices", "settings"] as const)
    await announce(tx, topic);
}

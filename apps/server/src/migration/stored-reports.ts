/** Reports of finished imports, for administrators. */
import { type ImportDetail, ImportReport, type ImportRow } from "@gateway/shared/site/migration";
import { notFound } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { products } from "./products/index.ts";

const SHOWN = 50;

/** Returns the newest imports. Skips reports of a version whose format this one does not know. */
export async function listReports(db: Db): Promise<ImportRow[]> {
  const rows = await db.import.findMany({ orderBy: { id: "desc" }, take: SHOWN });
  return rows.flatMap((row) => {
    const report = ImportReport.safeParse(row.report).data;
    if (report === undefined) return [];
    return {
      id: row.id,
      product: row.product,
      title: titleOf(row.product),
      origin: row.origin,
      created_time: unixTime(row.created_time),
      users: report.counts["users"]?.imported ?? 0,
      balances: report.totals.users_quota,
      ok: report.ok,
    };
  });
}

/** Throws `not_found`. */
export async function getReport(db: Db, id: number): Promise<ImportDetail> {
  const row = await db.import.findUnique({ where: { id } });
  const report = ImportReport.safeParse(row?.report).data;
  if (row === null || report === undefined) throw notFound({ reason: "import_not_found" });
  return { id: row.id, title: titleOf(row.product), report };
}

function titleOf(id: string): string {
  return products.find((product) => product.id === id)?.title ?? id;
}

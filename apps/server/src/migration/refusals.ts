/** What makes an import impossible, found before anything is written. */
import type { Db } from "#platform/database/db.ts";
import type { Product } from "./products/product.ts";
import { ImportRefusal } from "./refusal.ts";
import type { ImportReport } from "./report.ts";
import type { Source } from "./sources/source.ts";

export function requireProduct(source: Source, product: Product, others: readonly Product[]): void {
  const missing = missingIn(source, product);
  if (missing.length === 0) return;
  const other = others.find((each) => each !== product && missingIn(source, each).length === 0);
  if (other !== undefined)
    throw new ImportRefusal(
      `${source.origin} is a ${other.title} database, not one of ${product.title}. Run: gateway import ${other.id} --from …`,
      {
        facts: {
          reason: "source_other_product",
          origin: source.origin,
          other: other.title,
          product: product.title,
        },
      },
    );
  throw new ImportRefusal(
    `${source.origin} is not a ${product.title} database, or of a version that this one does not know. ` +
      `Missing: ${missing.slice(0, 8).join(", ")}. Check the address after --from. If it is right, update this gateway.`,
    {
      facts: {
        reason: "source_unknown",
        origin: source.origin,
        product: product.title,
        missing: missing.slice(0, 8).join(", "),
      },
    },
  );
}

function missingIn(source: Source, { required }: Product): string[] {
  return Object.entries(required).flatMap(([table, columns]) => {
    const present = source.columns.get(table);
    if (present === undefined) return [table];
    return columns
      .split(" ")
      .filter((column) => !present.has(column))
      .map((column) => `${table}.${column}`);
  });
}

/** Tables and columns of a newer version or a fork: they are not read, and the report says so. */
export function listUnknownColumns(source: Source, { known }: Product): ImportReport["unknown"] {
  return [...source.columns].flatMap(([table, present]) => {
    const listed = known[table];
    if (listed === undefined) return [{ table, columns: [] }];
    const names = new Set(listed.split(" "));
    const columns = [...present].filter((column) => !names.has(column));
    return columns.length === 0 ? [] : [{ table, columns }];
  });
}

/** A first start leaves groups, prices and model owners, which an import replaces. Anything else stays untouched. */
export async function requireEmpty(tx: Db): Promise<void> {
  const found: string[] = [];
  for (const [table, what] of [
    ["users", "users"],
    ["channels", "channels"],
    ["ledger_entries", "ledger entries"],
    ["usage_hours", "usage"],
    ["orders", "orders"],
    ["redemptions", "redemption codes"],
  ] as const) {
    const [row] = await tx.$queryRawUnsafe<{ there: boolean }[]>(
      `SELECT EXISTS (SELECT 1 FROM ${table}) AS there`,
    );
    if (row?.there === true) found.push(what);
  }
  if (found.length === 0) return;
  throw new ImportRefusal(
    `This installation is not empty: it has ${found.join(", ")}. An import goes into a new installation only. ` +
      `Point DATABASE_URL or DATA_DIR to an empty database, and do not open the set-up link before the import.`,
    { facts: { reason: "target_not_empty", found: found.join(", ") } },
  );
}

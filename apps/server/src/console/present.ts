import { unixTime } from "#platform/clock.ts";
import { Prisma } from "#platform/prisma/client.ts";

type Decimal = Prisma.Decimal;

/** A row as JSON: bigint and decimal as numbers, dates as unix seconds. */
export type JsonRow<T> = { [K in keyof T]: PresentedValue<T[K]> };
type PresentedValue<V> = V extends bigint | Date | Decimal ? number : V;

export function present<T extends object>(row: T): JsonRow<T> {
  const entries = Object.entries(row).map(([name, value]) => [name, presentValue(value)]);
  // The mapped type above describes the loop, which TypeScript cannot infer.
  return Object.fromEntries(entries) as JsonRow<T>;
}

function presentValue(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Date) return unixTime(value);
  if (Prisma.Decimal.isDecimal(value)) return value.toNumber();
  return value;
}

/** The decimals of amounts: all amounts in a column of a table or list have the same number. */
import { createContext, type ReactNode, useContext, useMemo } from "react";
import { decimalsOf, SUM_DECIMALS, useFormat } from "#lib/format/quota.ts";

const Decimals = createContext<Record<string, number>>({});

/** The points in each column, by its name. */
export type ColumnAmounts = Record<string, Iterable<number>>;

type AmountColumnsProps = {
  /** Balances and sums. */
  amounts?: ColumnAmounts;
  /** Costs of single calls, which have more decimals. */
  charges?: ColumnAmounts;
  children: ReactNode;
};

const none: ColumnAmounts = {};

/** Provides the decimals of columns for the amounts inside. Tables do it themselves. */
export function AmountColumns({ amounts = none, charges = none, children }: AmountColumnsProps) {
  const { pointsPerUsd } = useFormat();
  const entries = [amounts, charges].flatMap((columns) =>
    Object.entries(columns).map(([name, points]) => [
      name,
      columns === charges ? decimalsOf(points, pointsPerUsd) : SUM_DECIMALS,
    ]),
  );
  const text = JSON.stringify(entries);
  // The same object until a number changes, so that a list that grows renders only its new rows.
  const decimals = useMemo(
    () => Object.fromEntries(JSON.parse(text) as [string, number][]) as Record<string, number>,
    [text],
  );
  return <Decimals value={decimals}>{children}</Decimals>;
}

/** Returns the decimals of the column; undefined for an amount that is not in one. */
export function useDecimals(column: string | undefined): number | undefined {
  const decimals = useContext(Decimals);
  return column === undefined ? undefined : decimals[column];
}

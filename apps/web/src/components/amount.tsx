/** An amount of points in a cell or a fact: the decimals of its column, and the exact value on hover. */
import { SUM_DECIMALS, useFormat } from "#lib/format/quota.ts";
import { useDecimals } from "#ui/table/amount-columns.tsx";
import type { Column } from "#ui/table/table-model.ts";

type AmountProps = {
  points: number;
  /** Name of its column in `AmountColumns`, or id of its column in a table. */
  column?: string | undefined;
  /** Outside a column, six decimals instead of two, for the cost of a single call. */
  charge?: boolean;
  /** In a column of charges, two decimals, for a row that is none: a top-up or a refund. */
  sum?: boolean;
  /** Added to the exact value on hover. */
  note?: string | undefined;
};

export function Amount({ points, column, charge = false, sum = false, note }: AmountProps) {
  const format = useFormat();
  const ofColumn = useDecimals(column);
  const decimals = sum && ofColumn !== undefined ? SUM_DECIMALS : ofColumn;
  const alone = charge ? format.charge : format.quota;
  const exact = format.exact(points);
  // Keeps the points of a column below each other: a digit is 1ch wide.
  const missing = format.inCurrency && decimals !== undefined ? (ofColumn ?? decimals) - decimals : 0;
  return (
    <span
      className="tabular"
      style={missing > 0 ? { paddingInlineEnd: `${missing}ch` } : undefined}
      title={note === undefined ? exact : `${exact} · ${note}`}
    >
      {decimals === undefined ? alone(points) : format.inColumn(points, decimals)}
    </span>
  );
}

/** A column of a table whose cells contain an amount and nothing else. */
export function amountColumn<Row>(
  column: Omit<Column<Row>, "cell" | "align" | "amounts">,
  of: (row: Row) => number,
): Column<Row> {
  return {
    ...column,
    align: "right",
    amounts: (row) => [of(row)],
    cell: (row) => <Amount column={column.id} points={of(row)} />,
  };
}

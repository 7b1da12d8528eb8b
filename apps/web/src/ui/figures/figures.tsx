/** A small table of figures inside a card: a name first, then numbers. Lists use the data table. */
import type { ReactNode } from "react";
import { AmountColumns, type ColumnAmounts } from "#ui/table/amount-columns.tsx";
import classes from "./figures.module.css";

type FiguresProps = {
  /** Accessible name of the scrollable part, for a table that may be wider than its card. */
  label?: string;
  /** Wraps long names instead of cutting them off. */
  wraps?: boolean;
  /** The points in each column of amounts, by the name that its `Amount`s use. */
  amounts?: ColumnAmounts;
  /** thead, tbody, tfoot. */
  children: ReactNode;
};

export function Figures({ label, wraps = false, amounts, children }: FiguresProps) {
  const region = label === undefined ? {} : ({ tabIndex: 0, role: "region", "aria-label": label } as const);
  return (
    <div className={classes.scroll} {...region}>
      <table className={classes.table} data-wraps={wraps || undefined}>
        {amounts ? <AmountColumns amounts={amounts}>{children}</AmountColumns> : children}
      </table>
    </div>
  );
}

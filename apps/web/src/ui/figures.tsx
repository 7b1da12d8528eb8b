/** A small table of figures inside a card: a name first, then numbers. Lists have the data table. */
import type { ReactNode } from "react";
import classes from "./figures.module.css";

type FiguresProps = {
  /** Names the part that scrolls, where it may be wider than its card. */
  label?: string;
  /** Long names go on in the next line instead of being cut. */
  wraps?: boolean;
  /** thead, tbody, tfoot. */
  children: ReactNode;
};

export function Figures({ label, wraps = false, children }: FiguresProps) {
  const region = label === undefined ? {} : ({ tabIndex: 0, role: "region", "aria-label": label } as const);
  return (
    <div className={classes.scroll} {...region}>
      <table className={classes.table} data-wraps={wraps || undefined}>
        {children}
      </table>
    </div>
  );
}

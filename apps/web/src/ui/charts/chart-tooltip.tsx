/** The values of one day, as a table beside its bar. */
import type { CSSProperties } from "react";
import classes from "./stacked-bars.module.css";

export type TooltipLine = { name: string; label: string; value: string; color: string };

type ChartTooltipProps = {
  date: string;
  total: string;
  lines: readonly TooltipLine[];
  /** The previous period: its name and value. */
  before: { name: string; value: string } | undefined;
  /** What happened on the day, and what a click does. */
  notes: readonly string[];
  style: CSSProperties;
};

export function ChartTooltip({ date, total, lines, before, notes, style }: ChartTooltipProps) {
  return (
    <div className={classes.tooltip} style={style}>
      <table>
        <thead>
          <tr>
            <th>{date}</th>
            <th>{total}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, label, value, color }) => (
            <tr key={name}>
              <td>
                <span className={classes.swatch} style={{ background: color }} /> {label}
              </td>
              <td>{value}</td>
            </tr>
          ))}
          {before === undefined ? null : (
            <tr>
              <td>
                <span className={classes.lineSwatch} /> {before.name}
              </td>
              <td>{before.value}</td>
            </tr>
          )}
        </tbody>
      </table>
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}

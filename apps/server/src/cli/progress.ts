import type { Terminal } from "./command.ts";

/** Shows how far a long operation is, on standard error. */
export interface ProgressDisplay {
  note(kind: string, rows: number): void;
  /** Leaves the last line complete. */
  end(): void;
}

const width = 24;
/** Logs of scripts get a line per kind of thing and then one this often. */
const quietMs = 5_000;
const drawMs = 100;

/**
 * A bar that is drawn again on a terminal, and lines elsewhere.
 * @param totals rows by kind; kinds without a total show the rows only
 */
export function createProgress(
  { err, redraw, isInteractive }: Pick<Terminal, "err" | "redraw" | "isInteractive">,
  totals: ReadonlyMap<string, number>,
  now: () => number = () => performance.now(),
): ProgressDisplay {
  let last: { kind: string; rows: number } | undefined;
  let shownAt = 0;
  let isShown = true;
  const show = () => {
    if (last === undefined || isShown) return;
    isShown = true;
    shownAt = now();
    if (isInteractive) redraw(barOf(last.kind, last.rows, totals.get(last.kind)));
    else err(`${last.kind}: ${last.rows}`);
  };
  const finish = () => {
    show();
    if (isInteractive && last !== undefined) err("");
  };
  return {
    note(kind, rows) {
      const isNew = kind !== last?.kind;
      if (isNew) finish();
      last = { kind, rows };
      isShown = false;
      if (isNew || now() - shownAt >= (isInteractive ? drawMs : quietMs)) show();
    },
    end: finish,
  };
}

export function barOf(kind: string, rows: number, total: number | undefined): string {
  const name = kind.replaceAll("_", " ").padEnd(16);
  if (total === undefined || total === 0) return rows === 0 ? `${name} …` : `${name} ${rows}`;
  const share = Math.min(1, rows / total);
  const full = Math.round(share * width);
  return `${name} [${"#".repeat(full)}${"-".repeat(width - full)}] ${Math.floor(share * 100)} % of ${total}`;
}

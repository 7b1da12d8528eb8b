/** The columns of a list in a link to one of its views: `columns=id,-tag` shows the column id and hides the column tag. */

/** Which columns the user has selected or hidden. */
export type ChosenColumns = Record<string, boolean>;

/** Query parameter with the columns. */
export const COLUMNS = "columns";

/** Longest value that is read. Lists have fewer than 50 columns with short names. */
const longest = 2_000;

/** A view without chosen columns: the recipient sees those of a new visitor, not the own choice. */
const usual = "usual";

export function columnsText(chosen: ChosenColumns): string {
  const entries = Object.entries(chosen).map(([id, isShown]) => (isShown ? id : `-${id}`));
  return entries.join(",") || usual;
}

/** Returns the columns of a link; undefined without any. Unknown columns are ignored. */
export function readColumns(
  text: string | null,
  columns: readonly { id: string }[],
): ChosenColumns | undefined {
  if (text === null || text === "" || text.length > longest) return undefined;
  const known = new Set(columns.map(({ id }) => id));
  const chosen: [string, boolean][] = text
    .split(",")
    .map((entry) => (entry.startsWith("-") ? [entry.slice(1), false] : [entry, true]));
  return Object.fromEntries(chosen.filter(([id]) => known.has(id)));
}

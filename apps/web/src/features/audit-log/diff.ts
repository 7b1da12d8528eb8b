/** Differences between two values, path by path. Pure. */

export type ValueChange = { path: string; before: unknown; after: unknown; same: boolean };

/** Maps "a.b.0" → value. An empty list or object is a value of its own. */
function flatten(value: unknown, path: string, into: Map<string, unknown>): void {
  const entries = value !== null && typeof value === "object" ? Object.entries(value) : [];
  if (entries.length === 0) {
    if (path !== "" || (value !== null && value !== undefined)) into.set(path, value);
    return;
  }
  for (const [name, part] of entries) flatten(part, path === "" ? name : `${path}.${name}`, into);
}

/** Returns changed paths first, then the rest, each in the order of the record. */
export function changesOf(before: unknown, after: unknown): ValueChange[] {
  const was = new Map<string, unknown>();
  const is = new Map<string, unknown>();
  flatten(before, "", was);
  flatten(after, "", is);
  const changes = [...new Set([...is.keys(), ...was.keys()])].map((path) => {
    const pair = { path, before: was.get(path), after: is.get(path) };
    return { ...pair, same: JSON.stringify(pair.before) === JSON.stringify(pair.after) };
  });
  return [...changes.filter((change) => !change.same), ...changes.filter((change) => change.same)];
}

/** Returns a value in one line; "" for a missing one. */
export function formatValue(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}

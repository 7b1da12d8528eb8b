/**
 * Returns a table without the names that every object inherits. `table[name]` is undefined for a name from
 * outside that is not in the table, also for `constructor`.
 */
export function lookupTable<Value>(
  entries: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.freeze(Object.assign(Object.create(null) as Record<string, Value>, entries));
}

/** Returns an entry of an object under a name from outside; undefined for a name that every object inherits. */
export function entryOf<Value>(entries: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

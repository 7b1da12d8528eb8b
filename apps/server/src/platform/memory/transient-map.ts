/**
 * A map for entries that live as long as a call. V8's own map copies its table again and again while entries
 * come and go. Each old table refers to the next one and still to its entries, so a table that reached the old
 * generation keeps every later entry, with all that it refers to, until the next full collection. Here the
 * tables refer to small cells, which are emptied when their entry is removed.
 */
export class TransientMap<Key, Value extends object> {
  readonly #cells = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#cells.size;
  }

  get(key: Key): Value | undefined {
    return this.#cells.get(key)?.value;
  }

  set(key: Key, value: Value): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, { value });
    else cell.value = value;
  }

  delete(key: Key): void {
    const cell = this.#cells.get(key);
    if (cell === undefined) return;
    cell.value = undefined;
    this.#cells.delete(key);
  }

  *values(): Generator<Value, void, undefined> {
    for (const { value } of this.#cells.values()) if (value !== undefined) yield value;
  }
}

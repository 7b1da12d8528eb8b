/** An entry of a list. It is in one list at most. */
export interface ListEntry {
  /** Index in its list; -1 while it is in none. */
  place: number;
}

/**
 * An unordered list for entries that live as long as a call. Adding and removing take constant time and
 * allocate nothing: V8's own set copies its table again and again while entries come and go, and what an old
 * table refers to stays in memory until the next full collection.
 */
export class TransientList<Entry extends ListEntry> {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  add(entry: Entry): void {
    if (entry.place === -1) entry.place = this.#entries.push(entry) - 1;
  }

  has({ place }: Entry): boolean {
    return place !== -1;
  }

  /** The last entry takes the place of the removed one. */
  delete(entry: Entry): void {
    const { place } = entry;
    const last = this.#entries.at(-1);
    if (place === -1 || last === undefined) return;
    this.#entries[place] = last;
    last.place = place;
    this.#entries.pop();
    entry.place = -1;
  }

  /** Returns a copy, so that entries may be removed while it is read. */
  filter(isWanted: (entry: Entry) => boolean): Entry[] {
    return this.#entries.filter(isWanted);
  }
}

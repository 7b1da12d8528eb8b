/**
 * The responses of one connection, so that later ones can continue them although nothing is stored. Responses
 * of a chain share their parts. The oldest ones are removed when there are too many. Pure.
 */
export interface Kept {
  /** JSON of the items up to and including the response, in parts without brackets. */
  parts: readonly string[];
  model: string;
  /** Target that created the response, if its items can be read only by its provider. */
  home: { channel: number; key: number | undefined } | undefined;
}

export interface History {
  find(id: string): Kept | undefined;
  keep(id: string, kept: Kept): void;
}

const MOST_RESPONSES = 64;
/** Limit for the characters of all parts together. */
const MOST_CHARACTERS = 32 * 1024 * 1024;

export function openHistory(mostCharacters = MOST_CHARACTERS): History {
  const responses = new Map<string, Kept>();
  /** Number of responses that use a part. */
  const uses = new Map<string, number>();
  let characters = 0;

  function forget(id: string): void {
    const kept = responses.get(id);
    if (kept === undefined) return;
    responses.delete(id);
    for (const part of kept.parts) {
      const left = (uses.get(part) ?? 0) - 1;
      if (left > 0) uses.set(part, left);
      else {
        uses.delete(part);
        characters -= part.length;
      }
    }
  }

  return {
    find: (id) => responses.get(id),
    keep(id, kept) {
      forget(id);
      responses.set(id, kept);
      for (const part of kept.parts) {
        const used = uses.get(part) ?? 0;
        if (used === 0) characters += part.length;
        uses.set(part, used + 1);
      }
      while (responses.size > MOST_RESPONSES || characters > mostCharacters) {
        const [oldest] = responses.keys();
        if (oldest === undefined) return;
        forget(oldest);
      }
    },
  };
}

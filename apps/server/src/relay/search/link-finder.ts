import type { SearchedPage } from "#dialects/tools/search-forms.ts";

/** A Markdown link to a page that was found. Offsets are in characters of its part. */
interface FoundLink {
  readonly page: SearchedPage;
  readonly start: number;
  readonly end: number;
  /** The words of the link. */
  readonly text: string;
}

/** Most characters of a link. An open bracket further back does not begin one. */
const MOST_CHARS = 1_000;

/** Finds the links to known pages in text that arrives in pieces. */
export class LinkFinder {
  readonly #pages = new Map<string, SearchedPage>();
  #part = -1;
  /** The end of the text of the part, from which on a link may be incomplete, and its offset. */
  #tail = "";
  #offset = 0;

  know(pages: readonly SearchedPage[]): void {
    for (const page of pages) if (!this.#pages.has(page.url)) this.#pages.set(page.url, page);
  }

  pages(): SearchedPage[] {
    return [...this.#pages.values()];
  }

  /** Returns the links that are complete with this piece. */
  add(part: number, piece: string): FoundLink[] {
    if (this.#pages.size === 0) return [];
    if (part !== this.#part) {
      this.#part = part;
      this.#tail = "";
      this.#offset = 0;
    }
    const text = this.#tail + piece;
    const links: FoundLink[] = [];
    let from = Math.max(0, text.length - MOST_CHARS);
    for (const match of text.matchAll(/\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()]{1,500})\)/g)) {
      const end = match.index + match[0].length;
      from = Math.max(from, end);
      const page = this.#pages.get(match[2] ?? "");
      if (page === undefined) continue;
      const place = { start: this.#offset + match.index, end: this.#offset + end };
      links.push({ page, ...place, text: match[1] ?? "" });
    }
    this.#tail = text.slice(from);
    this.#offset += from;
    return links;
  }
}

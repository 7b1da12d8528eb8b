/** Searches Help by titles, headings and terms, and finds the nearest page for an unknown one. */
import type { HelpEntry, HelpIndex, HelpLanguage, HelpSection } from "./content.ts";

export type HelpHit = {
  page: string;
  /** "" for the page itself. */
  anchor: string;
  title: string;
  /** The page of a section, the description of a page. */
  note: string;
  language: HelpLanguage;
};

const most = 12;

/** Returns pages and sections that contain every word, best first. */
export function searchHelp(index: HelpIndex, query: string): HelpHit[] {
  const searchText = query.trim().toLowerCase();
  const words = searchText.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const rankedHits: { hit: HelpHit; rank: number }[] = [];
  for (const page of index.flatMap((group) => group.pages)) {
    const rank = rankOf(words, page.title, `${page.description} ${page.id}`);
    if (rank !== undefined) rankedHits.push({ hit: hitOf(page), rank: rank - 0.5 });
    for (const section of page.sections) {
      const own = rankOf(words, section.title, section.terms, page.title);
      if (own !== undefined) rankedHits.push({ hit: hitOf(page, section), rank: own + section.level / 10 });
    }
  }
  return rankedHits
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, most)
    .map(({ hit }) => hit);
}

function hitOf(page: HelpEntry, section?: HelpSection): HelpHit {
  return {
    page: page.id,
    anchor: section?.id ?? "",
    title: section?.title ?? page.title,
    note: section === undefined ? page.description : page.title,
    language: page.language,
  };
}

/**
 * Returns 0 when the title begins with the words, 1 when it contains them, 2 when the terms do, 3 when all
 * texts together do; undefined without a match.
 */
function rankOf(words: string[], title: string, terms: string, around = ""): number | undefined {
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  if (title.toLowerCase().startsWith(words.join(" "))) return 0;
  if (has(title)) return 1;
  if (has(terms)) return 2;
  // The title of the page alone is a match of the page, not of each of its sections.
  const containsAnyWord = words.some((word) => `${title} ${terms}`.toLowerCase().includes(word));
  return containsAnyWord && has(`${title} ${terms} ${around}`) ? 3 : undefined;
}

/** Returns the candidate that is most similar to the text; undefined when none has anything in common. */
export function nearest<Candidate>(
  text: string,
  candidates: Candidate[],
  namesOf: (candidate: Candidate) => string[],
): Candidate | undefined {
  const textPairs = pairsOf(text);
  let best: { candidate: Candidate; score: number } | undefined;
  for (const candidate of candidates)
    for (const name of namesOf(candidate)) {
      const pairs = pairsOf(name);
      const shared = [...pairs].filter((pair) => textPairs.has(pair)).length;
      const score = (2 * shared) / (pairs.size + textPairs.size || 1);
      if (score > 0.2 && score > (best?.score ?? 0)) best = { candidate, score };
    }
  return best?.candidate;
}

/** Returns what is most similar to an unknown section: another section of the page, or another page. */
export function nearestSection(anchor: string, entry: HelpEntry, pages: HelpEntry[]): HelpHit | undefined {
  const sections = entry.sections.map((section) => hitOf(entry, section));
  const others = pages.filter((page) => page.id !== entry.id).map((page) => hitOf(page));
  return nearest(anchor, [...sections, ...others], (hit) => [hit.anchor || hit.page, hit.title]);
}

/** Returns all pairs of neighbouring characters. */
function pairsOf(text: string): Set<string> {
  const plain = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  const pairs = new Set<string>();
  for (let place = 1; place < plain.length; place += 1) pairs.add(plain.slice(place - 1, place + 1));
  return pairs;
}

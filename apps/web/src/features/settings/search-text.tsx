/** A text of the settings with the words of the search marked. */
import { Mark } from "@mantine/core";
import { createContext, useContext } from "react";
import { markHits } from "./search.ts";

/** The words of the search; none while nothing is searched. */
export const SearchedParts = createContext<readonly string[]>([]);

export function SearchText({ children }: { children: string }) {
  const parts = useContext(SearchedParts);
  if (parts.length === 0) return children;
  return markHits(children, parts).map(({ text, isHit }, place) =>
    // The parts of a text have no other identity, and are rendered again together.
    // oxlint-disable-next-line react/no-array-index-key
    isHit ? <Mark key={place}>{text}</Mark> : <span key={place}>{text}</span>,
  );
}

/** The text of an input whose value is stored elsewhere, mostly in the address, and returns with a delay. */
import { useState } from "react";

export type Typed = {
  text: string;
  /** The last known value. */
  known: string;
  /** Reported values that have not returned yet. */
  reported: readonly string[];
};

/**
 * A value that was not reported by this input replaces the text: back button, "clear filters". A returned
 * value does not, because the user may have typed on.
 */
export function follow({ text, reported }: Typed, value: string): Typed {
  const place = reported.indexOf(value.trim());
  return place < 0
    ? { text: value, known: value, reported: [] }
    : { text, known: value, reported: reported.slice(place + 1) };
}

export function tell(typed: Typed, text: string): Typed {
  const value = text.trim();
  return { ...typed, reported: value === typed.known.trim() ? [] : [...typed.reported, value] };
}

/** @returns the text, a function that sets it, and a function that reports it */
export function useTyped(
  value: string,
  report: (text: string) => void,
): [text: string, type: (text: string) => void, say: (text: string) => void] {
  const [typed, setTyped] = useState<Typed>({ text: value, known: value, reported: [] });
  const now = value === typed.known ? typed : follow(typed, value);
  if (now !== typed) setTyped(now);
  return [
    now.text,
    (text) => setTyped((before) => ({ ...before, text })),
    (text) => {
      setTyped((before) => tell(before, text));
      report(text);
    },
  ];
}

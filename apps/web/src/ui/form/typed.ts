/** What stands in an input whose value lives elsewhere, mostly in the address bar, and comes back from there late. */
import { useState } from "react";

export type Typed = {
  text: string;
  /** The value as it was given last. */
  known: string;
  /** Reported, and not come back yet. */
  reported: readonly string[];
};

/**
 * A value that was not reported from here wins over the text: back button, "clear filters". One that comes back must
 * not: whoever types has gone on meanwhile.
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

/**
 * @returns the text, how it is set, and how it is reported
 */
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

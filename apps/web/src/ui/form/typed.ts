/** What stands in an input whose value lives elsewhere, mostly in the address bar, and comes back from there late. */
import { useState } from "react";

export type Typed = {
  text: string;
  /** The value as it was given last. */
  known: string;
  /** Reported, and not come back yet. */
  told: readonly string[];
};

/**
 * A value that was not reported from here wins over the text: back button, "clear filters". One that comes back must
 * not: whoever types has gone on meanwhile.
 */
export function follow({ text, told }: Typed, value: string): Typed {
  const place = told.indexOf(value.trim());
  return place < 0
    ? { text: value, known: value, told: [] }
    : { text, known: value, told: told.slice(place + 1) };
}

export function tell(typed: Typed, text: string): Typed {
  const value = text.trim();
  return { ...typed, told: value === typed.known.trim() ? [] : [...typed.told, value] };
}

/**
 * @returns the text, how it is set, and how it is reported
 */
export function useTyped(
  value: string,
  report: (text: string) => void,
): [text: string, type: (text: string) => void, say: (text: string) => void] {
  const [typed, setTyped] = useState<Typed>({ text: value, known: value, told: [] });
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

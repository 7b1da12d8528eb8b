/** The text of an input whose value is stored elsewhere, mostly in the address, and returns with a delay. */
import { useState } from "react";

export type InputText = {
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
export function followValue({ text, reported }: InputText, value: string): InputText {
  const place = reported.indexOf(value.trim());
  return place < 0
    ? { text: value, known: value, reported: [] }
    : { text, known: value, reported: reported.slice(place + 1) };
}

export function reportText(typed: InputText, text: string): InputText {
  const value = text.trim();
  return { ...typed, reported: value === typed.known.trim() ? [] : [...typed.reported, value] };
}

/** @returns the text, a function that sets it, and a function that reports it */
export function useInputText(
  value: string,
  report: (text: string) => void,
): [text: string, type: (text: string) => void, say: (text: string) => void] {
  const [typed, setTyped] = useState<InputText>({ text: value, known: value, reported: [] });
  const now = value === typed.known ? typed : followValue(typed, value);
  if (now !== typed) setTyped(now);
  return [
    now.text,
    (text) => setTyped((before) => ({ ...before, text })),
    (text) => {
      setTyped((before) => reportText(before, text));
      report(text);
    },
  ];
}

import { useState } from "react";

/** What stands in an input. It follows the value it was given, which may change without it: back button, "clear filters". */
export function useTyped(value: string): [string, (text: string) => void] {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  return [text, setText];
}

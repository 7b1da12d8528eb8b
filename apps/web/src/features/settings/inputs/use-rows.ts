import { useState } from "react";

/**
 * The rows of a setting that is stored as text. They are read again when another value comes from outside: saved,
 * discarded or reset to the default.
 */
export function useRows<Row>(
  value: string,
  {
    read,
    write,
    onChange,
  }: {
    read: (text: string) => Row[];
    write: (rows: Row[]) => string;
    onChange: (text: string) => void;
  },
): [Row[], (next: Row[]) => void] {
  const [rows, setRows] = useState<Row[]>(() => read(value));
  /** The last value written here. */
  const [lastValue, setKnown] = useState(value);
  if (value !== lastValue) {
    setKnown(value);
    setRows(read(value));
  }
  const change = (next: Row[]) => {
    const text = write(next);
    setRows(next);
    setKnown(text);
    // An incomplete row is not part of the text yet.
    if (text !== value) onChange(text);
  };
  return [rows, change];
}

/** A field for a JSON object. Reports the parsed value and shows where invalid JSON begins. */
import { useState } from "react";
import { JsonTextField, type JsonTextFieldProps } from "./json-text-field.tsx";

type JsonFieldProps = Omit<JsonTextFieldProps, "value" | "onChange"> & {
  /** The parsed value; displayed formatted. */
  value: unknown;
  /** Called with the parsed value, or with null for invalid JSON, which every object schema rejects. */
  onChange: (value: unknown) => void;
};

function print(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object" && Object.keys(value).length === 0) return "";
  return JSON.stringify(value, null, 2);
}

/** An empty text is `{}`. */
export function JsonField({ value, onChange, ...props }: JsonFieldProps) {
  const [text, setText] = useState(() => print(value));
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() ? JSON.parse(next) : {});
    } catch {
      onChange(null);
    }
  };
  return <JsonTextField {...props} value={text} onChange={change} />;
}

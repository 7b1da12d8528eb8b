/** A text area for JSON: says what is wrong at once, tidies on leaving. */
import { JsonInput, type JsonInputProps } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

type JsonFieldProps = Omit<JsonInputProps, "value" | "onChange" | "error"> & {
  /** The parsed value; shown formatted. */
  value: unknown;
  /** Called with the parsed value; while the text is no JSON, with null, which no schema of an object accepts. */
  onChange: (value: unknown) => void;
  error?: React.ReactNode;
};

function print(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "object" && Object.keys(value).length === 0) return "";
  return JSON.stringify(value, null, 2);
}

/** An empty text is `{}`. */
export function JsonField({ value, onChange, error, ...props }: JsonFieldProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(() => print(value));
  const [broken, setBroken] = useState(false);
  const change = (next: string) => {
    setText(next);
    try {
      onChange(next.trim() ? JSON.parse(next) : {});
      setBroken(false);
    } catch {
      setBroken(true);
      onChange(null);
    }
  };
  return (
    <JsonInput
      autosize
      minRows={3}
      maxRows={14}
      formatOnBlur
      spellCheck={false}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
      {...props}
      value={text}
      onChange={change}
      error={broken ? t("Must be a valid JSON string") : error}
      validationError={t("Must be a valid JSON string")}
    />
  );
}

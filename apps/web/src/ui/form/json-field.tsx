/** A text area for JSON. Validates while typing and formats on blur. */
import { JsonInput, type JsonInputProps } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";

type JsonFieldProps = Omit<JsonInputProps, "value" | "onChange" | "error"> & {
  /** The parsed value; displayed formatted. */
  value: unknown;
  /** Called with the parsed value, or with null for invalid JSON, which every object schema rejects. */
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

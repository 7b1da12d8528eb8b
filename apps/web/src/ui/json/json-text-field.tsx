/** A field whose value is a JSON text: a text area until the editor is loaded. */
import { Input } from "@mantine/core";
import { useId, useInViewport } from "@mantine/hooks";
import { type ReactNode, lazy, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMayChange } from "#lib/changes.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import classes from "./json-field.module.css";

// The editor is larger than most screens.
const JsonEditor = lazy(async () => ({ default: (await import("./json-editor.tsx")).JsonEditor }));

export type JsonTextFieldProps = {
  label?: ReactNode;
  /** For a field without `label`. */
  "aria-label"?: string;
  /** Path of the field in its form. */
  "data-path"?: string;
  description?: ReactNode;
  placeholder?: string;
  /** Shown for valid JSON. Invalid JSON has a text of its own. */
  error?: ReactNode;
  minRows?: number;
  maxRows?: number;
  /** Offered while a string is typed, for example the names of models. */
  completions?: readonly string[];
  value: string;
  onChange: (text: string) => void;
  onFocus?: () => void;
  onBlur?: () => void;
};

/** Returns whether a text is JSON. An empty text is. */
function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export function JsonTextField(props: JsonTextFieldProps) {
  const { label, description, placeholder, error, minRows = 3, maxRows = 14, completions = [] } = props;
  const { value, onChange, onFocus, onBlur } = props;
  const { t } = useTranslation();
  const id = useId();
  const mayChange = useMayChange();
  // Fields outside of the window and in closed sections load no editor.
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [isWanted, setWanted] = useState(false);
  if (inViewport && !isWanted) setWanted(true);
  const hasFocus = useRef(false);
  const [errorLine, setErrorLine] = useState<number | null>(null);
  const shownError = isJson(value)
    ? error
    : errorLine === null
      ? t("Must be a valid JSON string")
      : `${t("Must be a valid JSON string")} (${t("line {{line}}", { line: errorLine })})`;
  const described = [description ? `${id}-description` : "", shownError ? `${id}-error` : ""];
  const attributes = {
    id: `${id}-text`,
    ...(label === undefined
      ? { "aria-label": props["aria-label"] ?? "JSON" }
      : { "aria-labelledby": `${id}-label` }),
    ...(props["data-path"] === undefined ? {} : { "data-path": props["data-path"] }),
    "aria-describedby": described.filter(Boolean).join(" "),
    "aria-invalid": shownError ? ("true" as const) : ("false" as const),
  };
  const rows = Math.min(Math.max(value.split("\n").length, minRows), maxRows);
  const plain = (
    <Input
      {...attributes}
      component="textarea"
      multiline
      rows={rows}
      spellCheck={false}
      readOnly={!mayChange}
      error={Boolean(shownError)}
      placeholder={placeholder}
      classNames={{ input: classes.plain ?? "" }}
      value={value}
      onChange={(event: React.ChangeEvent<HTMLTextAreaElement>) => onChange(event.currentTarget.value)}
    />
  );
  return (
    <Input.Wrapper
      id={id}
      label={label}
      labelElement="div"
      // A label is only tied to elements that HTML knows as inputs, which the editor is not.
      labelProps={{ onClick: () => document.getElementById(`${id}-text`)?.focus() }}
      description={description}
      error={shownError}
    >
      <div
        ref={ref}
        onFocus={() => {
          hasFocus.current = true;
          onFocus?.();
        }}
        onBlur={() => {
          hasFocus.current = false;
          onBlur?.();
        }}
      >
        {isWanted ? (
          <LazyBoundary fallback={plain}>
            <JsonEditor
              attributes={attributes}
              invalid={Boolean(shownError)}
              readOnly={!mayChange}
              minRows={minRows}
              maxRows={maxRows}
              placeholder={placeholder ?? ""}
              completions={completions}
              value={value}
              onChange={onChange}
              hasFocus={hasFocus}
              onErrorLine={setErrorLine}
            />
          </LazyBoundary>
        ) : (
          plain
        )}
      </div>
    </Input.Wrapper>
  );
}

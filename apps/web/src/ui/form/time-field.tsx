/** A day or a moment in the reader's time zone, in the browser's own fields. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

type FieldProps<Value> = Omit<TextInputProps, "type" | "value" | "onChange"> & {
  value: Value;
  onChange: (value: Value) => void;
};

/** So that no time zone makes a moment of it that is before 1970. */
const firstYear = 1971;

/** Whoever types the year 2026 passes the years 2, 20 and 202, and passes no day at all when the day begins with 0. */
const isWhole = (text: string) => text === "" || Number.parseInt(text, 10) >= firstYear;

/**
 * The browser edits such a value in parts. While someone does, no one writes into the field: the value comes back
 * late from where it lives, mostly the address bar, and would take the parts back that were typed meanwhile.
 */
function DateInput({ value, onChange, ...props }: FieldProps<string> & { type: "date" | "datetime-local" }) {
  const field = useRef<HTMLInputElement>(null);
  const [first] = useState(value);
  useEffect(() => {
    if (field.current && field.current !== document.activeElement) field.current.value = value;
  }, [value]);
  return (
    <TextInput
      {...props}
      ref={field}
      defaultValue={first}
      onBlur={({ currentTarget: input }) => {
        // Written even where it stands already: that clears away parts of a value that was not finished.
        input.value = isWhole(input.value) ? input.value : value;
      }}
      onChange={(event) => {
        if (isWhole(event.currentTarget.value)) onChange(event.currentTarget.value);
      }}
    />
  );
}

/** @param props `value` as 2026-11-21; "" = none */
export function DayField(props: FieldProps<string>) {
  return <DateInput type="date" {...props} />;
}

/** @param props `value` in seconds since 1970; 0 = none */
export function TimeField({ value, onChange, ...props }: FieldProps<number>) {
  return (
    <DateInput
      {...props}
      type="datetime-local"
      value={fieldText(value)}
      onChange={(text) => onChange(text === "" ? 0 : Math.floor(new Date(text).getTime() / 1000))}
    />
  );
}

/** Local time as a date-time field takes it: 2026-11-21T09:30. @param seconds since 1970; 0 = none */
export function fieldText(seconds: number): string {
  if (seconds === 0) return "";
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** A date or time in the user's time zone, with native inputs. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";

type DateFieldProps<Value> = Omit<TextInputProps, "type" | "value" | "onChange"> & {
  value: Value;
  onChange: (value: Value) => void;
};

/** No time zone moves a date of this year before 1970. */
const firstYear = 1971;

/**
 * Typing the year 2026 passes through 2, 20 and 202, and through no date at all when the day begins with 0.
 */
const isWhole = (text: string) => text === "" || Number.parseInt(text, 10) >= firstYear;

/**
 * The browser edits such a value in parts. It must not be overwritten during editing: the value returns with
 * a delay, mostly from the address, and would revert parts that were typed in the meantime.
 */
function DateInput({
  value,
  onChange,
  ...props
}: DateFieldProps<string> & { type: "date" | "datetime-local" }) {
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
        // Written even when unchanged: this clears the parts of an incomplete value.
        input.value = isWhole(input.value) ? input.value : value;
      }}
      onChange={(event) => {
        if (isWhole(event.currentTarget.value)) onChange(event.currentTarget.value);
      }}
    />
  );
}

/** @param props `value` as 2026-11-21; "" = none */
export function DayField(props: DateFieldProps<string>) {
  return <DateInput type="date" {...props} />;
}

/** @param props `value` in unix seconds; 0 = none */
export function TimeField({ value, onChange, ...props }: DateFieldProps<number>) {
  return (
    <DateInput
      {...props}
      type="datetime-local"
      value={fieldText(value)}
      onChange={(text) => onChange(text === "" ? 0 : Math.floor(new Date(text).getTime() / 1000))}
    />
  );
}

/**
 * Returns local time in the format of a datetime input: 2026-11-21T09:30.
 * @param seconds unix seconds; 0 = none
 */
export function fieldText(seconds: number): string {
  if (seconds === 0) return "";
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

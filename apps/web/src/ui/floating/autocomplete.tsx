import { type AutocompleteProps, TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { floating, loadFloatingAhead, withFloating } from "./load-floating.ts";

type Props = AutocompleteProps & { value: string; onChange: (value: string) => void };

/** Mantine's field with suggestions, loaded when it is first used. Until then it is the plain field. */
export function Autocomplete(props: Props) {
  const field = useRef<HTMLInputElement>(null);
  const [present, setPresent] = useState<{ focused: boolean } | null>(null);
  // A field with a button that clears it is needed whole.
  const whole = props.clearable === true && props.value !== "";
  useEffect(() => {
    if (whole && !present)
      withFloating(() => setPresent({ focused: field.current === document.activeElement }));
  }, [whole, present]);
  if (present) {
    const { Autocomplete: Whole } = floating();
    return <Whole {...props} autoFocus={present.focused} />;
  }
  const { onChange } = props;
  return (
    <TextInput
      ref={field}
      {...fieldProps(props)}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={loadFloatingAhead}
      onFocus={() => withFloating(() => setPresent({ focused: field.current === document.activeElement }))}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Properties that only the real field has, or that its plain form sets itself. */
const ofAutocomplete = new Set([
  "clearable",
  "comboboxProps",
  "data",
  "filter",
  "limit",
  "onChange",
  "onOptionSubmit",
  "selectFirstOptionOnChange",
]);

function fieldProps(props: object): TextInputProps {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !ofAutocomplete.has(name)));
}

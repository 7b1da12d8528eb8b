import { ComboboxChevron, type SelectProps, TextInput, type TextInputProps } from "@mantine/core";
import { type KeyboardEvent, useEffect, useState } from "react";
import { floating, loadFloatingAhead, withFloating } from "./late-floating.tsx";

/** How the field was used before the real one took its place. */
type Use = { open: boolean; search?: string };

/** Mantine's select, loaded when it is first used. Until then it is a field that looks the same. */
export function Select<Value extends string = string>(given: SelectProps<Value>) {
  // The values do not matter here.
  const props = given as unknown as SelectProps;
  const [use, setUse] = useState<Use | null>(null);
  if (use) return <PresentSelect {...props} use={use} />;
  return <ClosedSelect {...props} onUse={(next) => withFloating(() => setUse(next))} />;
}

function PresentSelect({ use, ...props }: SelectProps & { use: Use }) {
  const { Select: Whole } = floating();
  return (
    <Whole
      {...props}
      {...(use.open ? { autoFocus: true, defaultDropdownOpened: true } : {})}
      {...(use.search === undefined ? {} : { defaultSearchValue: use.search })}
    />
  );
}

/** Keys that open the list of options. */
const openingKeys = new Set(["ArrowDown", "ArrowUp", "Enter", " "]);

function ClosedSelect({ onUse, ...props }: SelectProps & { onUse: (use: Use) => void }) {
  const { data, value, searchable = false, clearable, readOnly, rightSection, ...others } = props;
  // A field with a button that clears it is needed whole.
  const whole = clearable === true && Boolean(value);
  useEffect(() => {
    if (whole) onUse({ open: false });
  });
  const open = readOnly || others.disabled ? () => {} : () => onUse({ open: true });
  return (
    <TextInput
      {...fieldProps(others)}
      role="combobox"
      aria-haspopup="listbox"
      aria-expanded={false}
      autoComplete="off"
      readOnly={!searchable || readOnly === true}
      pointer={!searchable}
      value={labelOf(data, value)}
      rightSection={rightSection ?? <ComboboxChevron size={others.size} error={others.error} />}
      rightSectionPointerEvents="none"
      onPointerEnter={loadFloatingAhead}
      onFocus={loadFloatingAhead}
      onClick={open}
      onKeyDown={(event: KeyboardEvent) => {
        if (!openingKeys.has(event.key) || (searchable && event.key === " ")) return;
        event.preventDefault();
        open();
      }}
      onChange={(event) => onUse({ open: true, search: event.currentTarget.value })}
    />
  );
}

/** Properties that only the real select has. */
const ofSelect = new Set([
  "allowDeselect",
  "checkIconPosition",
  "comboboxProps",
  "filter",
  "limit",
  "maxDropdownHeight",
  "nothingFoundMessage",
  "onChange",
  "onDropdownOpen",
  "onSearchChange",
  "renderOption",
  "searchValue",
]);

function fieldProps(props: object): TextInputProps {
  return Object.fromEntries(Object.entries(props).filter(([name]) => !ofSelect.has(name)));
}

type Data = NonNullable<SelectProps["data"]>;

function labelOf(data: Data = [], value: SelectProps["value"]): string {
  for (const entry of data) {
    if (typeof entry !== "object" || entry === null) {
      if (entry === value) return entry;
    } else if ("group" in entry) {
      const found = labelOf(entry.items as Data, value);
      if (found !== "") return found;
    } else if (entry.value === value) return entry.label;
  }
  return "";
}

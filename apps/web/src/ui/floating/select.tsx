import { ComboboxChevron, type SelectProps, TextInput, type TextInputProps } from "@mantine/core";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { floating, loadFloatingAhead, withFloating } from "./load-floating.ts";

const SETTLED_AFTER_MS = 30;

/** How the field was used before the real one took its place. */
type Use = { open: boolean; search?: string };

/** Mantine's select, loaded when it is first used. Until then it is a field that looks the same. */
export function Select<Value extends string = string>(given: SelectProps<Value>) {
  // The values do not matter here.
  const props = given as unknown as SelectProps;
  const [use, setUse] = useState<Use | null>(null);
  /** More can be typed while the code is loading. */
  const latest = useRef<Use>({ open: false });
  if (use) return <PresentSelect {...props} use={use} />;
  const onUse = (next: Use) => {
    latest.current = { ...latest.current, ...next };
    withFloating(() => setUse(latest.current));
  };
  return <ClosedSelect {...props} onUse={onUse} />;
}

function PresentSelect({ use, ...props }: SelectProps & { use: Use }) {
  const { Select: Whole } = floating();
  const { search: typed } = use;
  const [search, setSearch] = useState(typed);
  const { onSearchChange } = props;
  const change = (next: string) => {
    setSearch(next);
    onSearchChange?.(next);
  };
  // A select without a value clears its search when it appears.
  useEffect(() => {
    if (typed === undefined) return;
    setSearch(typed);
    onSearchChange?.(typed);
    // oxlint-disable-next-line react/exhaustive-deps -- once, when it has taken the place of the closed field
  }, []);
  // The field refers to its list only when it is rendered again after the list has appeared.
  const [, settle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => settle(true), SETTLED_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Whole
      // As the closed field: a form whose first field has the focus must not be covered by a list.
      openOnFocus={false}
      {...props}
      {...(use.open ? { autoFocus: true, defaultDropdownOpened: true } : {})}
      {...(search === undefined ? {} : { searchValue: search, onSearchChange: change })}
    />
  );
}

/** Keys that open the list of options. */
const openingKeys = new Set(["ArrowDown", "ArrowUp", "Enter", " "]);

function ClosedSelect({ onUse, ...props }: SelectProps & { onUse: (use: Use) => void }) {
  const { data, value, searchable = false, clearable, readOnly, rightSection, ...others } = props;
  const [typed, setTyped] = useState<string>();
  // A field with a button that clears it is needed whole.
  const whole = clearable === true && Boolean(value);
  useEffect(() => {
    if (whole) onUse({ open: false });
  });
  const type = (search: string) => {
    setTyped(search);
    props.onSearchChange?.(search);
    onUse({ open: true, search });
  };
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
      value={typed ?? labelOf(data, value)}
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
      onChange={(event) => type(event.currentTarget.value)}
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

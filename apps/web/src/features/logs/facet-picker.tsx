/** A filter that lists the existing values with their counts. Its list is loaded when it is opened. */
import { Button } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type ComponentType, type ReactNode, type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { reportMissing } from "#ui/late-part.tsx";
import classes from "./facets.module.css";

export type FacetOption = { value: string; label: string; count?: number; icon?: ReactNode };

export type FacetPickerProps = {
  label: string;
  /** "" = all. */
  value: string;
  /** Label of a value that is not among the options. */
  valueLabel?: string;
  options: FacetOption[];
  onChange: (value: string) => void;
  /** Any other value may be typed. */
  free?: boolean;
  /** Searches for more options while the user types. */
  onSearch?: (text: string) => void;
};

/** The list, once it is loaded. */
let List: ComponentType<FacetPickerProps> | undefined;

async function loadList(): Promise<void> {
  List = (await import("./facet-list.tsx")).FacetList;
}

const loadAhead = () => void loadList().catch(() => {});

export function FacetPicker(props: FacetPickerProps) {
  const [used, setUsed] = useState(false);
  if (used && List) return <List {...props} />;
  const open = () => {
    if (List) setUsed(true);
    else loadList().then(() => setUsed(true), reportMissing);
  };
  return (
    <FacetButton
      {...props}
      aria-haspopup="listbox"
      aria-expanded={false}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      onClick={open}
    />
  );
}

type FacetButtonProps = FacetPickerProps &
  Pick<
    React.ComponentProps<"button">,
    "aria-haspopup" | "aria-expanded" | "onPointerEnter" | "onFocus" | "onClick"
  > & {
    ref?: Ref<HTMLButtonElement>;
  };

/** @param rest what the list adds to its button */
export function FacetButton(props: FacetButtonProps) {
  const { label, value, valueLabel, options, onChange: _, free: _free, onSearch: _search, ...rest } = props;
  const { t } = useTranslation();
  const chosen = options.find((option) => option.value === value)?.label ?? valueLabel ?? value;
  return (
    <Button
      variant={value === "" ? "default" : "light"}
      fw={500}
      px={11}
      justify="space-between"
      rightSection={<IconChevronDown size={14} />}
      aria-label={value === "" ? t("{{label}}: all", { label }) : `${label}: ${chosen}`}
      className={classes.picker ?? ""}
      {...rest}
    >
      {value === "" ? label : chosen}
    </Button>
  );
}

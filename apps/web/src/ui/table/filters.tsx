/** The filters above a list. Each updates the address through `onChange`. */
import { ActionIcon, Button, Select, type SelectProps, TextInput, Tooltip } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilterOff, IconSearch, IconSearchOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Empty } from "#ui/empty.tsx";
import { useInputText } from "#ui/form/input-text.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";

/** Reports after a pause in typing, not on every key. */
export function SearchBox(props: {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  /** Label above the field, for a placeholder that is only an example. */
  label?: string;
  width?: number | string;
}) {
  const [text, setText, report] = useInputText(props.value, props.onChange);
  const phone = useIsPhone();
  const reportLater = useDebouncedCallback(report, 350);
  return (
    <TextInput
      type="search"
      {...(props.label === undefined ? { "aria-label": props.placeholder } : { label: props.label })}
      placeholder={props.placeholder}
      leftSection={<IconSearch size={15} />}
      w={phone ? "100%" : (props.width ?? 220)}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        reportLater(event.currentTarget.value);
      }}
    />
  );
}

type FilterChoice = { value: string; label: string };

type FilterSelectProps = Omit<SelectProps, "value" | "onChange" | "data"> & {
  label: string;
  /** "" means all. */
  value: string;
  onChange: (value: string) => void;
  data: (FilterChoice | { group: string; items: FilterChoice[] })[];
};

/** A select with an "all" option first; unobtrusive until a value is selected. */
export function FilterSelect({ label, value, onChange, data, ...props }: FilterSelectProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      w={phone ? "calc(50% - 4px)" : 150}
      data={[{ value: "", label: t("{{label}}: all", { label }) }, ...data]}
      value={value}
      onChange={(next) => onChange(next ?? "")}
      allowDeselect={false}
      checkIconPosition="right"
      comboboxProps={{ width: 220, position: "bottom-start" }}
      {...props}
    />
  );
}

/** Small enough to never wrap the filters onto a second line. On phones there is room for a label. */
export function ClearFilters({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const label = t("Clear filters");
  if (phone)
    return (
      <Button variant="subtle" color="gray" leftSection={<IconFilterOff size={15} />} onClick={onClear}>
        {label}
      </Button>
    );
  return (
    <Tooltip label={label}>
      <ActionIcon size={36} aria-label={label} onClick={onClear}>
        <IconFilterOff size={17} />
      </ActionIcon>
    </Tooltip>
  );
}

type NoMatchesProps = { title: string; hint?: string; onClear: () => void };

/** The empty state of a list whose filters exclude every row. */
export function NoMatches({ title, hint, onClear }: NoMatchesProps) {
  const { t } = useTranslation();
  return (
    <Empty
      icon={IconSearchOff}
      title={title}
      hint={hint}
      action={
        <Button variant="default" onClick={onClear}>
          {t("Clear filters")}
        </Button>
      }
    />
  );
}

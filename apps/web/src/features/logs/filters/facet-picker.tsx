/** A filter that lists the existing values with their counts. Any other value can be typed. */
import { Button, Combobox, Text, useCombobox } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { type ReactNode, type Ref, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import classes from "./facets.module.css";

export type FacetOption = { value: string; label: string; count?: number; icon?: ReactNode };

type FacetPickerProps = {
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

export function FacetPicker(props: FacetPickerProps) {
  const { label, value, options, onChange, free = false, onSearch } = props;
  const { t } = useTranslation("logs");
  const format = useFormat();
  const [text, setText] = useState("");
  const type = (next: string) => {
    setText(next);
    onSearch?.(next.trim());
  };
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      type("");
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const trimmedText = text.trim();
  const searchText = trimmedText.toLowerCase();
  const fitting = options.filter((option) => option.label.toLowerCase().includes(searchText));
  const isNew = free && trimmedText !== "" && !options.some((option) => option.value === trimmedText);
  const most = Math.max(1, ...options.map(({ count = 0 }) => count));
  const choose = (next: string) => {
    onChange(next === value ? "" : next);
    combobox.closeDropdown();
  };
  return (
    <Combobox store={combobox} width={290} position="bottom-start" onOptionSubmit={choose}>
      <Combobox.Target targetType="button">
        <FacetButton {...props} onClick={() => combobox.toggleDropdown()} />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={text}
          onChange={(event) => {
            type(event.currentTarget.value);
            combobox.updateSelectedOptionIndex();
          }}
          aria-label={label}
          placeholder={free ? t("Search or enter a value") : t("Search")}
        />
        <Combobox.Options
          mah={300}
          style={{ overflowY: "auto" }}
          aria-label={label}
          hidden={value === "" && !isNew && fitting.length === 0}
        >
          {value === "" ? null : (
            <Combobox.Option value={value} className={classes.reset ?? ""}>
              {t("{{label}}: all", { label })}
            </Combobox.Option>
          )}
          {isNew ? (
            <Combobox.Option value={trimmedText}>
              {t("Use “{{text}}” ↵", { text: trimmedText })}
            </Combobox.Option>
          ) : null}
          {(combobox.dropdownOpened ? fitting : []).map((option) => (
            <Combobox.Option key={option.value} value={option.value} active={option.value === value}>
              <span className={classes.option}>
                {option.icon}
                <span className={classes.optionName} title={option.label}>
                  {option.label}
                </span>
                {option.count === undefined ? null : (
                  <span className={classes.count}>
                    <span className={classes.share} style={{ width: `${(option.count / most) * 36}px` }} />
                    {format.whole(option.count)}
                  </span>
                )}
              </span>
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {combobox.dropdownOpened && fitting.length === 0 && !isNew ? (
          <Text c="dimmed" fz="sm" p="xs">
            {free ? t("Enter a complete value and press ↵.") : t("No results")}
          </Text>
        ) : null}
      </Combobox.Dropdown>
    </Combobox>
  );
}

type FacetButtonProps = FacetPickerProps & { onClick: () => void; ref?: Ref<HTMLButtonElement> };

/** @param rest what the list adds to its button */
function FacetButton(props: FacetButtonProps) {
  const { label, value, valueLabel, options, onChange: _, free: _free, onSearch: _search, ...rest } = props;
  const { t } = useTranslation("logs");
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

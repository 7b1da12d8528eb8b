/** The list of a facet: the existing values with their counts. Any other value can be typed. Loaded when it is opened. */
import { Combobox, Text, useCombobox } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { FacetButton, type FacetPickerProps } from "./facet-picker.tsx";
import classes from "./facets.module.css";

export function FacetList(props: FacetPickerProps) {
  const { label, value, options, onChange, free = false, onSearch } = props;
  const { t } = useTranslation();
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
  // It takes the place of its button when that is clicked.
  const { openDropdown } = combobox;
  const wasOpened = useRef(false);
  useEffect(() => {
    if (wasOpened.current) return;
    wasOpened.current = true;
    openDropdown();
  }, [openDropdown]);
  const typed = text.trim();
  const wanted = typed.toLowerCase();
  const fitting = options.filter((option) => option.label.toLowerCase().includes(wanted));
  const isNew = free && typed !== "" && !options.some((option) => option.value === typed);
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
            <Combobox.Option value={typed}>{t("Use “{{text}}” ↵", { text: typed })}</Combobox.Option>
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

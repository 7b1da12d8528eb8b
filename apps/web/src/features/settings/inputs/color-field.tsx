/** A colour, typed or chosen with the colour dialog of the system. */
import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "#features/settings/settings.module.css";

type ColorFieldProps = {
  label: string;
  description?: ReactNode;
  error?: string | undefined;
  /** `#` and six hexadecimal digits; "" is the default. */
  value: string;
  onChange: (value: string) => void;
};

/** Shown while no colour is chosen: the product's own accent. */
const own = "#4650dc";

export function ColorField({ value, onChange, ...wrapper }: ColorFieldProps) {
  const { t } = useTranslation("settings");
  return (
    <TextInput
      {...wrapper}
      placeholder={own}
      maxLength={7}
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.trim().toLowerCase())}
      leftSectionWidth={40}
      leftSection={
        <input
          type="color"
          className={classes.swatch}
          aria-label={t("Choose a color")}
          value={/^#[\da-f]{6}$/.test(value) ? value : own}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      }
    />
  );
}

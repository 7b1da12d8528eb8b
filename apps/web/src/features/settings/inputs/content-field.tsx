/** An operator's text, edited on the left and previewed on the right as visitors will see it. */
import { Text, Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { lazy } from "react";
import { useTranslation } from "react-i18next";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import classes from "#features/settings/settings.module.css";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));

type ContentFieldProps = {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

export function ContentField({ label, value, error, onChange }: ContentFieldProps) {
  const { t } = useTranslation("settings");
  const [shown] = useDebouncedValue(value, 200);
  const isAddress = /^https?:\/\/\S+$/.test(shown.trim());
  return (
    <div className={classes.content}>
      <Textarea
        aria-label={label}
        placeholder={t("Markdown or HTML")}
        error={error}
        autosize
        minRows={8}
        maxRows={24}
        spellCheck={false}
        classNames={{ input: classes.source ?? "" }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <div className={classes.preview} role="region" aria-label={`${label}: ${t("Preview")}`} tabIndex={0}>
        {shown.trim() === "" ? (
          <Text c="dimmed" fz="sm">
            {t("The preview appears here.")}
          </Text>
        ) : isAddress ? (
          <Text fz="sm">{t("{{address}} is shown in a frame.", { address: shown.trim() })}</Text>
        ) : (
          <LazyBoundary>
            <RichText text={shown} />
          </LazyBoundary>
        )}
      </div>
    </div>
  );
}

/** Name, logo and accent colour as the console will show them, in both colour schemes. */
import type { AccentPreview } from "@gateway/shared/site/formats/accent";
import { Skeleton, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "#components/icons/mark.tsx";
import { phrasesIn } from "#lib/i18n.ts";
import { accentPreviewQuery } from "./api.ts";
import classes from "./settings.module.css";

const phrase = phrasesIn("settings");

const schemes = [
  { id: "light", title: phrase("Light theme") },
  { id: "dark", title: phrase("Dark theme") },
] as const;

/** The dialog of the system sends a colour per movement of the pointer. */
const pauseMs = 120;

type BrandPreviewProps = {
  name: string;
  logo: string;
  /** Undefined while the typed colour is not valid: the last one stays. */
  accent: string | undefined;
};

export function BrandPreview({ name, logo, accent }: BrandPreviewProps) {
  const { t } = useTranslation("settings");
  const [debouncedAccent] = useDebouncedValue(accent, pauseMs);
  const colors = useQuery(accentPreviewQuery(debouncedAccent)).data;
  return (
    <div className={classes.brand} role="group" aria-label={t("Preview")}>
      {schemes.map(({ id, title }) =>
        colors === undefined ? (
          <Skeleton key={id} height={172} radius={10} />
        ) : (
          <Sample key={id} scheme={id} title={t(title)} name={name} logo={logo} colors={colors[id]} />
        ),
      )}
    </div>
  );
}

type SampleProps = {
  scheme: "light" | "dark";
  title: string;
  name: string;
  logo: string;
  colors: AccentPreview["light"];
};

function Sample({ scheme, title, name, logo, colors: { filled, text, soft } }: SampleProps) {
  const { t } = useTranslation("settings");
  const variables = {
    "--sample-filled": filled,
    "--sample-text": text,
    "--sample-soft": soft,
    "--mantine-primary-color-filled": filled,
  } as CSSProperties;
  return (
    <div className={classes.sample} data-scheme={scheme} style={variables} role="group" aria-label={title}>
      <div className={classes.sampleHead}>
        {logo ? <img src={logo} alt="" height={24} /> : <Mark size={24} />}
        <Text span fw={650} fz="md" truncate>
          {name}
        </Text>
      </div>
      <div className={classes.sampleBody}>
        <span className={classes.sampleItem}>{t("Dashboard")}</span>
        <span className={classes.sampleLink}>{t("Prices")}</span>
        <span className={classes.sampleButton}>{t("New token")}</span>
      </div>
      <Text fz="xs" className={classes.sampleTitle}>
        {title}
      </Text>
    </div>
  );
}

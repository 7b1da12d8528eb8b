/** Availability of the most used models in the last 24 hours. A model without calls is not shown as available. */
import type { ModelHealth } from "@gateway/shared/models/model-health";
import { Anchor, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { HourBars, useShareBars } from "#components/usage/hour-bars.tsx";
import { hourText } from "#lib/channel-hours.ts";
import { useFormat } from "#lib/format/quota.ts";
import { modelsHealthQuery, modelsQuery } from "#lib/queries/models.ts";
import { StatusDot } from "#ui/status-dot.tsx";
import classes from "./home.module.css";

const shownAtMost = 6;

export function AvailabilityBlock() {
  const { t } = useTranslation("site");
  const health = useQuery(modelsHealthQuery).data;
  const models = useQuery(modelsQuery).data ?? {};
  const rankOf = (model: string) => models[model]?.rank ?? Infinity;
  const shown = Object.entries(health?.models ?? {})
    .filter(([, { availability }]) => availability !== null)
    .toSorted(([a], [b]) => rankOf(a) - rankOf(b) || a.localeCompare(b))
    .slice(0, shownAtMost);
  return (
    <>
      <Title order={2} fz={24}>
        {t("Availability, 24 hours")}
      </Title>
      <Text c="dimmed" mt={4} mb="lg">
        {t("Share of valid calls in the last 24 hours that were answered.")}
      </Text>
      {health && shown.length === 0 ? (
        <Text component="div">
          <StatusDot tone="idle">{t("No calls in the last 24 hours. Availability is unknown.")}</StatusDot>
        </Text>
      ) : (
        <ul className={classes.health} aria-label={t("Availability, 24 hours")}>
          {shown.map(([model, values]) => (
            <HealthRow key={model} model={model} health={values} since={health?.since ?? 0} />
          ))}
        </ul>
      )}
    </>
  );
}

function HealthRow({ model, health, since }: { model: string; health: ModelHealth; since: number }) {
  const { t } = useTranslation("site");
  const format = useFormat();
  const share = format.percent(health.availability);
  const bars = useShareBars()(health.hourly, (hour) => hourText(since, hour));
  return (
    <li>
      <span className={classes.healthName}>
        <ModelIcon model={model} size={16} />
        <Anchor component={Link} to={`/models/${encodeURIComponent(model)}`} c="inherit" fw={500} truncate>
          {model}
        </Anchor>
        <Text span fz="sm" className="tabular" ml="auto">
          {share}
        </Text>
      </span>
      <HourBars
        label={t("Availability of {{model}}: {{share}}", { model, share })}
        bars={bars}
        height={24}
        fill
      />
    </li>
  );
}

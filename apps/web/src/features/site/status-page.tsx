/** Public availability of the models, when the operator enabled it. */
import type { ModelState, ModelStatus } from "@gateway/shared/models/model-health";
import type { StatusPage as Status } from "@gateway/shared/models/model-health";
import {
  Anchor,
  Button,
  Card,
  Container,
  Group,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { queryOptions, useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { z } from "zod";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { HourBars, useShareBars } from "#components/usage/hour-bars.tsx";
import { hourText } from "#lib/channel-hours.ts";
import { useFormat } from "#lib/format/quota.ts";
import { asSent, ApiError, http } from "#lib/http.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { usePageTitle, useSystemName } from "#lib/site.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot, type Tone } from "#ui/status-dot.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./status-page.module.css";

const phrase = phrasesIn("site");

const statusPageQuery = queryOptions({
  queryKey: ["model-status"],
  queryFn: () => http.get("/model_status", asSent<z.infer<typeof Status>>()),
  staleTime: 30_000,
  refetchInterval: 60_000,
  meta: { quiet: true },
});

const states: Record<ModelState, { tone: Tone; text: string }> = {
  operational: { tone: "good", text: phrase("Operational") },
  degraded: { tone: "warn", text: phrase("Degraded") },
  outage: { tone: "bad", text: phrase("Outage") },
  no_data: { tone: "idle", text: phrase("No recent calls") },
};

/** Number of models shown before the user requests all. */
const shownAtFirst = 100;

export default function StatusPage() {
  const { t } = useTranslation("site");
  const name = useSystemName();
  usePageTitle(t("Status"));
  const status = useQuery(statusPageQuery);
  const disabled = status.error instanceof ApiError && status.error.status === 404;
  return (
    <Container size={960} px={{ base: "md", sm: "lg" }} py={{ base: "lg", sm: 40 }}>
      <Title order={1} fz={{ base: 22, sm: 26 }}>
        {t("Status of {{name}}", { name })}
      </Title>
      {status.data ? (
        <StatusReport status={status.data} />
      ) : disabled ? (
        <Empty
          title={t("This site has no status page")}
          hint={t("The operator has not enabled the status page.")}
          action={
            <Button component={Link} to="/price">
              {t("Show the models")}
            </Button>
          }
        />
      ) : (
        <QueryFallback query={status}>
          <Stack mt="lg" gap="sm" aria-busy>
            <Skeleton height={72} radius="lg" />
            <Skeleton height={320} radius="lg" />
          </Stack>
        </QueryFallback>
      )}
    </Container>
  );
}

const spans = ["hours", "days"] as const;

function StatusReport({ status }: { status: Status }) {
  const { t } = useTranslation("site");
  const [span, setSpan] = useState<(typeof spans)[number]>("days");
  const [keyword, setKeyword] = useState("");
  const [all, setAll] = useState(false);
  const { models } = status;
  const matches = models.filter(({ model, owner }) =>
    `${model} ${owner}`.toLowerCase().includes(keyword.trim().toLowerCase()),
  );
  const shown = all ? matches : matches.slice(0, shownAtFirst);
  return (
    <Stack mt="lg" gap="md">
      <Summary status={status} />
      {models.length === 0 ? (
        <Card>
          <Empty title={t("No models yet")} />
        </Card>
      ) : (
        <Card padding="lg">
          <Group justify="space-between" gap="sm" mb="sm">
            <TextInput
              type="search"
              aria-label={t("Find a model")}
              placeholder={t("Find a model")}
              leftSection={<IconSearch size={15} />}
              flex="1 1 150px"
              maw={280}
              value={keyword}
              onChange={(event) => setKeyword(event.currentTarget.value)}
            />
            <ChoiceBar
              label={t("Period")}
              choices={spans}
              titles={{ hours: t("24 hours"), days: t("90 days") }}
              value={span}
              onChange={setSpan}
            />
          </Group>
          {matches.length === 0 ? <Empty compact title={t("No model matches")} /> : null}
          <ul className={classes.list} aria-label={t("Models")}>
            {shown.map((model) => (
              <Row key={model.model} model={model} status={status} days={span === "days"} />
            ))}
          </ul>
          {shown.length < matches.length ? (
            <Button variant="default" mt="sm" onClick={() => setAll(true)}>
              {t("Show all {{count}}", { count: matches.length })}
            </Button>
          ) : null}
        </Card>
      )}
      <Text fz="sm" c="dimmed" style={{ textWrap: "pretty" }}>
        {t(
          "Each bar is a day in UTC, or an hour: blue for answered calls, red for failed ones, a flat line for no calls. Calls that were refused because of their own content, key or balance do not count.",
        )}{" "}
        {t(
          "“No recent calls” means that the model was not called in the last two hours. It does not mean that the model is down.",
        )}
      </Text>
    </Stack>
  );
}

function Summary({ status: { models, computed_at } }: { status: Status }) {
  const { t } = useTranslation("site");
  const count = (state: ModelState) => models.filter((model) => model.state === state).length;
  const { tone, text } = summaryOf(t, count);
  const unknown = count("no_data");
  return (
    <Card padding="lg">
      <Group justify="space-between" gap="xs">
        <Group component="h2" m={0} gap="0 12px" fz="lg">
          <StatusDot tone={tone}>
            <Text span fz="inherit" fw={600}>
              {text}
            </Text>
          </StatusDot>
          {unknown > 0 && unknown < models.length ? (
            <Text span fz="sm" c="dimmed">
              {t("{{count}} without recent calls", { count: unknown })}
            </Text>
          ) : null}
        </Group>
        <Text fz="sm" c="dimmed">
          <RelativeTime lead={t("Updated")} seconds={computed_at} />
        </Text>
      </Group>
    </Card>
  );
}

/** Green only for what calls have shown: a model without recent calls is not called operational. */
function summaryOf(t: TFunction<"site">, count: (state: ModelState) => number): { tone: Tone; text: string } {
  const [outages, degraded, operational] = [count("outage"), count("degraded"), count("operational")];
  if (outages > 0) return { tone: "bad", text: t("{{count}} models are down", { count: outages }) };
  if (degraded > 0) return { tone: "warn", text: t("{{count}} models are degraded", { count: degraded }) };
  if (operational === 0) return { tone: "idle", text: t("No recent calls") };
  return count("no_data") === 0
    ? { tone: "good", text: t("All models are operational") }
    : { tone: "good", text: t("{{count}} models are operational", { count: operational }) };
}

function Row({ model, status, days }: { model: ModelStatus; status: Status; days: boolean }) {
  const { t } = useTranslation("site");
  const format = useFormat();
  const phone = useIsPhone();
  const { tone, text } = states[model.state];
  const share = days ? model.availability_90d : model.availability;
  const total = share === null ? t("No calls") : format.percent(share);
  const shares = days ? model.daily : model.hourly;
  // A phone has space for 30 days.
  const from = days && phone ? shares.length - 30 : 0;
  const bars = useShareBars()(shares.slice(from), (place) =>
    days ? dayText(status.first_day, from + place) : hourText(status.since, place),
  );
  return (
    <li>
      <div className={classes.line}>
        <span className={classes.name}>
          <ModelIcon model={model.model} size={16} />
          <Anchor component={Link} to={`/models/${encodeURIComponent(model.model)}`} c="inherit" fw={500}>
            {model.model}
          </Anchor>
        </span>
        <Text span fz="sm" className={classes.state}>
          <StatusDot tone={tone}>{t(text)}</StatusDot>
        </Text>
      </div>
      <div className={classes.line}>
        <HourBars
          label={t("Availability of {{model}}: {{share}}", { model: model.model, share: total })}
          bars={bars}
          height={26}
          fill
        />
        <Text span fz="sm" c="dimmed" className={classes.share}>
          {share === null ? "–" : total}
        </Text>
      </div>
    </li>
  );
}

/** YYYY-MM-DD */
function dayText(first: string, place: number): string {
  return new Date(Date.parse(first) + place * 86_400_000).toISOString().slice(0, 10);
}

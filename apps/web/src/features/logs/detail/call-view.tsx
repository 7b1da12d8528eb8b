/** An entry of the log in detail, on its own page and in the panel beside the list. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Alert, Group, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { CallRoute } from "#components/route/call-route.tsx";
import { isFailedCall, pauseSentence, shortReason } from "#features/logs/failure.ts";
import { timeOfDay } from "#features/logs/list/time-cell.tsx";
import { contentText, isCall, outcomeWord, typeText } from "#features/logs/log-labels.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { hasErrorCode } from "#lib/labels/reasons.ts";
import { requestedModel } from "#lib/requested-model.ts";
import { Section } from "#ui/page/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { BillTable } from "./bill-table.tsx";
import { Bodies } from "./bodies.tsx";
import { CallFigures } from "./call-figures.tsx";
import { LogFacts } from "./log-facts.tsx";
import { useShownAttempts } from "./shown-attempts.ts";
import { UntriedChannels } from "./untried-channels.tsx";
import { Waterfall } from "./waterfall.tsx";
import classes from "./call.module.css";

/** The model and the outcome of a call. Other entries are named by their type. */
export function CallHeading({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const { tone, text } = outcomeWord(row);
  const model = isCall(row) ? requestedModel(row) : "";
  return (
    <Group gap={10} wrap="nowrap" miw={0}>
      {model ? <ModelIcon model={model} size={20} /> : null}
      <Title order={2} component="span" fz="lg" style={{ overflowWrap: "anywhere" }}>
        {model || t(typeText(row.type))}
      </Title>
      {model ? (
        <Text span fz="sm">
          <StatusDot tone={tone}>{t(text)}</StatusDot>
        </Text>
      ) : null}
    </Group>
  );
}

type CallViewProps = {
  row: LogRow;
  /** Uses two columns on wide screens. */
  wide?: boolean;
};

export function CallView({ row, wide = false }: CallViewProps) {
  const { t } = useTranslation("logs");
  useErrorTexts(hasErrorCode(row.content_facts));
  const { sentence } = outcomeWord(row);
  const call = isCall(row);
  const { attempts, anonymous } = useShownAttempts(row);
  // Without an attempt, the route is one sentence, beside which a column of details would leave an empty half.
  const refused = row.attempts?.length === 0;
  return (
    <Stack gap="md">
      {isFailedCall(row) ? (
        <FailureAlert row={row} />
      ) : row.content || sentence ? (
        <div>
          {row.content ? <Text>{contentText(t, row)}</Text> : null}
          {sentence ? <Text c="dimmed">{t(sentence)}</Text> : null}
        </div>
      ) : null}
      {call ? <CallFigures row={row} /> : null}
      <div
        className={classes.columns}
        data-wide={(wide && call && !refused) || undefined}
        data-alone={(wide && refused) || undefined}
      >
        <Stack gap="md" miw={0}>
          {call && attempts ? (
            <Section padding="md" title={t("Route")}>
              <CallRoute row={row} attempts={attempts} />
              <Waterfall row={row} attempts={attempts} anonymous={anonymous} />
              <UntriedChannels row={row} />
            </Section>
          ) : null}
          <Bodies row={row} />
        </Stack>
        <Stack gap="md" miw={0}>
          {row.bill ? (
            <Section padding="md" title={t("Bill")}>
              <BillTable row={row} bill={row.bill} />
            </Section>
          ) : null}
          <Section padding="md" title={t("Details")}>
            <LogFacts row={row} />
          </Section>
        </Stack>
      </div>
    </Stack>
  );
}

/** The failure of a call: its sentence, reason and code. */
function FailureAlert({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const paused = pauseSentence(t, row, timeOfDay);
  const codes = [row.error_code, row.status > 0 ? `HTTP ${row.status}` : ""].filter(Boolean).join(" · ");
  return (
    <Alert
      color="red"
      variant="light"
      icon={<IconAlertCircle size={18} />}
      title={paused || shortReason(t, row.error_code) || t("Failed")}
    >
      {row.content ? <Text fz="sm">{contentText(t, row)}</Text> : null}
      <Text fz="sm" c="dimmed" mt={2}>
        {[codes, t("The call failed and was not charged.")].filter(Boolean).join(" · ")}
      </Text>
    </Alert>
  );
}

/** What a figure counts, in which period, and what it is compared with. docs/figures.md has the same definitions. */
import type { Figure } from "@gateway/shared/usage/figures";
import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { timeZone } from "#lib/format/time-zone.ts";
import { phrase } from "#lib/i18n.ts";

const definitions: Record<Figure, string> = {
  requests: phrase(
    "All calls, successful and failed. A call counts once, however many channels the gateway tried for it.",
  ),
  failed: phrase(
    "Calls that did not end in a complete response, for any reason. Calls that the gateway refused are included: an empty balance, a limit, an unknown model.",
  ),
  error_rate: phrase("Failed calls as a share of all calls."),
  success: phrase(
    "Successful attempts as a share of all attempts at this channel. A failed attempt counts even if another channel served the call.",
  ),
  tokens: phrase("Input and output tokens. Cached tokens are part of the input."),
  charged: phrase("What calls were charged, with group ratios. Top-ups, gifts and refunds are not included."),
  provider_cost: phrase("The same calls at list prices, without group ratios."),
  duration: phrase("From the request to the end of the response, of successful calls."),
  first_token: phrase(
    "From the request to the first token, of the same calls as the duration. In a response that is not streamed, it arrives with the rest.",
  ),
  searches: phrase(
    "Web searches that the gateway ran, and what they cost. The cost is part of what was charged. Searches of providers are not counted.",
  ),
};

const periods = {
  hours: phrase("The current hour and the 23 hours before it."),
  days: phrase("Whole days in your time zone ({{zone}}). Today is included."),
};
export type FigurePeriod = keyof typeof periods;

const comparisons = {
  day: phrase("The 24 hours before, up to the same time."),
  yesterday: phrase("Yesterday up to the same time."),
  previous: phrase(
    "The previous period of the same length. If this period has not ended, up to the same time.",
  ),
};

type FigureDefinitionProps = {
  figure: Figure;
  period: FigurePeriod;
  compared?: keyof typeof comparisons;
  /** What this screen leaves out. */
  note?: string | undefined;
};

export function FigureDefinition({ figure, period, compared, note }: FigureDefinitionProps) {
  const { t } = useTranslation();
  return (
    <Stack gap={8}>
      <Text fz="sm">{t(definitions[figure])}</Text>
      {note ? <Text fz="sm">{note}</Text> : null}
      <Line label={t("Period")} text={t(periods[period], { zone: timeZone() })} />
      {compared ? <Line label={t("Compared with")} text={t(comparisons[compared])} /> : null}
    </Stack>
  );
}

function Line({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <Text fz="xs" c="dimmed">
        {label}
      </Text>
      <Text fz="sm">{text}</Text>
    </div>
  );
}

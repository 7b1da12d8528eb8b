/** The result of a comparison: agreement, totals on both sides, and the deviations. */
import type { ComparisonDetail, ComparisonReport } from "@gateway/shared/site/comparison";
import { Alert, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { Stat, Stats } from "#ui/figures/stats.tsx";
import { Section } from "#ui/page/page.tsx";
import { DeviationTable } from "./deviation-table.tsx";
import { agreementOf, agreementText } from "./labels.ts";

export function ComparisonResult({ detail: { report, title } }: { detail: ComparisonDetail }) {
  const { t } = useTranslation("migration");
  const period = `${timeOf(report.since)} – ${timeOf(report.until)}`;
  return (
    <Stack gap="md">
      <Section
        title={t("{{channel}} and {{product}}", { channel: report.channel.name, product: title })}
        hint={`${report.origin} · ${t("key {{name}}", { name: report.key_name })} · ${period}`}
      >
        <Stack gap="md">
          <Verdict report={report} />
          <Totals report={report} />
          <Notes report={report} />
        </Stack>
      </Section>
      {report.deviations.length === 0 ? null : <DeviationTable report={report} />}
    </Stack>
  );
}

const timeOf = (iso: string) => formatTime(Date.parse(iso) / 1_000);

function Verdict({ report }: { report: ComparisonReport }) {
  const { t } = useTranslation("migration");
  if (report.ok)
    return (
      <Alert color="green" variant="light" icon={<IconCircleCheck size={18} />} role="status">
        {t("All charges are equal.")}
      </Alert>
    );
  if (agreementOf(report).of === 0)
    return (
      <Alert color="amber" variant="light" icon={<IconInfoCircle size={18} />} role="status">
        {t("No calls to compare. Check the channel and the name of the key, or choose a longer period.")}
      </Alert>
    );
  return (
    <Alert color="red" variant="light" icon={<IconAlertTriangle size={18} />} role="status">
      {t("Some charges are different. The table lists them, with the largest difference first.")}
    </Alert>
  );
}

function Totals({ report }: { report: ComparisonReport }) {
  const { t, i18n } = useTranslation("migration");
  const format = useFormat();
  const agreement = agreementOf(report);
  const here = Number(report.totals.here);
  const there = Number(report.totals.source);
  const difference = here - there;
  const sign = difference > 0 ? "+" : difference < 0 ? "−" : "";
  const points = (value: number) => t("{{points}} points", { points: format.whole(value) });
  return (
    <Stats columns={4}>
      <Stat
        title={t("Agreement")}
        value={agreementText(agreement, i18n.language.replace("_", "-"))}
        bad={agreement.equal < agreement.of ? "figure" : undefined}
        line={t("{{equal}} of {{calls}} calls", {
          equal: format.whole(agreement.equal),
          calls: format.whole(agreement.of),
        })}
      />
      <Stat
        title={t("Charged here")}
        value={format.charge(here)}
        about={t("Calls that both gateways have logged.")}
        line={points(here)}
      />
      <Stat title={t("Charged there")} value={format.charge(there)} line={points(there)} />
      <Stat
        title={t("Difference")}
        value={`${sign}${format.charge(Math.abs(difference))}`}
        bad={difference === 0 ? undefined : "figure"}
        line={`${sign}${points(Math.abs(difference))}`}
      />
    </Stats>
  );
}

function Notes({ report }: { report: ComparisonReport }) {
  const { t } = useTranslation("migration");
  const { whole } = useFormat();
  const { calls, matched_by_id: byId, too_recent: recent, deviations } = report;
  const deviating = calls.deviating + calls.ambiguous + calls.missing_here + calls.missing_there;
  const notes = [
    t("Matched by request ID: {{byId}}. Matched by model, tokens and time: {{other}}.", {
      byId: whole(byId),
      other: whole(calls.compared - byId),
    }),
    t(
      "Different charge: {{charge}}. Several possible matches: {{ambiguous}}. Only in this gateway: {{here}}. Only in the old gateway: {{there}}.",
      {
        charge: whole(calls.deviating),
        ambiguous: whole(calls.ambiguous),
        here: whole(calls.missing_there),
        there: whole(calls.missing_here),
      },
    ),
    recent === 0
      ? ""
      : t("Too recent to compare: {{calls}}. The other gateway may not have logged them yet.", {
          calls: whole(recent),
        }),
    deviating > deviations.length
      ? t("{{calls}} more deviations are not listed.", { calls: whole(deviating - deviations.length) })
      : "",
  ];
  return (
    <Text component="div" fz="sm" c="dimmed">
      {notes
        .filter((note) => note !== "")
        .map((note) => (
          <div key={note}>{note}</div>
        ))}
    </Text>
  );
}

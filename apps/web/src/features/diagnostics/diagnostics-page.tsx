/** What `gateway doctor` checks: each finding with its state, and how to correct it. */
import type { Diagnosis, DiagnosisFinding, DiagnosisState } from "@gateway/shared/site/diagnosis";
import { diagnosisGroups } from "@gateway/shared/site/diagnosis-texts";
import { Anchor, Button, Group, Progress, Skeleton, Stack, Text } from "@mantine/core";
import { IconRefresh, IconStethoscope } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Fold } from "#ui/fold.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { diagnosisQuery } from "./api.ts";
import { findingTexts, groupLabels, linkOf, states } from "./labels.ts";
import classes from "./diagnostics.module.css";

const severity: readonly DiagnosisState[] = ["problem", "warning", "ok"];

/** The most severe first, and those of a group together. */
function rankOf({ state, group }: DiagnosisFinding): number {
  return severity.indexOf(state) * diagnosisGroups.length + diagnosisGroups.indexOf(group);
}

export default function DiagnosticsPage() {
  const { t } = useTranslation("diagnostics");
  const { data, error, isFetching, refetch } = useQuery(diagnosisQuery);
  useErrorTexts(data?.findings.some(({ cause }) => cause !== null) ?? false);
  const run = () => void refetch();
  return (
    <Page
      title={t("Diagnostics")}
      description={t(
        "Checks the gateway and its environment for common problems, and shows how to fix them.",
      )}
      actions={
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} stroke={1.7} />}
          loading={isFetching}
          onClick={run}
        >
          {t("Check again")}
        </Button>
      }
    >
      {isFetching ? <Running /> : null}
      {!isFetching && error !== null ? (
        <Section>
          <LoadError error={error} onRetry={run} />
        </Section>
      ) : data === undefined ? (
        <Section>
          <Skeleton height={320} />
        </Section>
      ) : data.findings.length === 0 ? (
        <Section>
          <Empty icon={IconStethoscope} title={t("No checks were run")} />
        </Section>
      ) : (
        <Findings diagnosis={data} />
      )}
    </Page>
  );
}

function Running() {
  const { t } = useTranslation("diagnostics");
  return (
    <Stack gap={6} role="status">
      <Progress value={100} animated aria-label={t("Checking…")} size="sm" />
      <Text fz="sm" c="dimmed">
        {t("The checks take a few seconds, and at most 30 seconds.")}
      </Text>
    </Stack>
  );
}

function Findings({ diagnosis: { findings, started_at, took_ms } }: { diagnosis: Diagnosis }) {
  const { t } = useTranslation("diagnostics");
  const count = (state: DiagnosisState) => findings.filter((one) => one.state === state).length;
  const sorted = findings.toSorted((one, other) => rankOf(one) - rankOf(other));
  const open = sorted.filter(({ state }) => state !== "ok");
  const passed = sorted.filter(({ state }) => state === "ok");
  return (
    <>
      <Group gap="lg" fz="sm">
        <StatusDot tone={count("problem") === 0 ? "idle" : states.problem.tone}>
          {t("Problems: {{total}}", { total: count("problem") })}
        </StatusDot>
        <StatusDot tone={count("warning") === 0 ? "idle" : states.warning.tone}>
          {t("Warnings: {{total}}", { total: count("warning") })}
        </StatusDot>
        <Text fz="sm" c="dimmed">
          <RelativeTime seconds={started_at} /> ·{" "}
          {t("{{seconds}} s", { seconds: (took_ms / 1_000).toFixed(1) })}
        </Text>
      </Group>
      {open.length === 0 ? null : (
        <Section title={t("Problems and warnings")}>
          <FindingList findings={open} />
        </Section>
      )}
      {passed.length === 0 ? null : (
        <Section>
          <Fold label={t("Passed checks: {{total}}", { total: passed.length })}>
            <FindingList findings={passed} />
          </Fold>
        </Section>
      )}
    </>
  );
}

function FindingList({ findings }: { findings: readonly DiagnosisFinding[] }) {
  return (
    <ul className={classes.list}>
      {findings.map((finding) => (
        <FindingRow key={`${finding.code} ${finding.text}`} finding={finding} />
      ))}
    </ul>
  );
}

function FindingRow({ finding }: { finding: DiagnosisFinding }) {
  const { t } = useTranslation("diagnostics");
  const { label, tone } = states[finding.state];
  const { text, fix } = findingTexts(t, finding);
  const link = linkOf(finding);
  return (
    <li className={classes.row}>
      <StatusDot tone={tone}>{t(label)}</StatusDot>
      <Text fz="inherit" c="dimmed">
        {t(groupLabels[finding.group])}
      </Text>
      <div>
        <Text fz="inherit">{text}</Text>
        {fix === "" ? null : (
          <Text fz="inherit" c="dimmed">
            {fix}
          </Text>
        )}
      </div>
      {link === undefined ? null : (
        <Anchor component={Link} to={link.to} fz="inherit">
          {t(link.label)}
        </Anchor>
      )}
    </li>
  );
}

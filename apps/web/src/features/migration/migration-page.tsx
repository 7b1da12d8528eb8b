/** Imports from other gateways: their reports, with the proof that no balance changed. */
import { Alert, Button, Code, Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconArrowLeft, IconArrowsDiff, IconDatabaseImport } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { formatTime } from "#lib/format/quota.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { UnloadedObject } from "#ui/page/object-page.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { reportQuery, reportsQuery } from "./api.ts";
import { DownloadReport, ReportView } from "./report-view.tsx";

/** Parts of the example command. A narrow window breaks the line between them only. */
const commandParts = ["gateway import one-hub", "--from ./one-api.db", "--dry-run"];

export default function MigrationPage() {
  const [search, setSearch] = useSearchParams();
  const chosen = Number(search.get("report") ?? 0);
  const open = (id: number | undefined) => setSearch(id === undefined ? {} : { report: String(id) });
  return chosen > 0 ? <OneReport id={chosen} onBack={() => open(undefined)} /> : <Reports onOpen={open} />;
}

function Reports({ onOpen }: { onOpen: (id: number) => void }) {
  const { t, i18n } = useTranslation("migration");
  const reports = useQuery(reportsQuery);
  const number = new Intl.NumberFormat(i18n.language.replace("_", "-"));
  return (
    <Page
      title={t("Migration")}
      description={t("Reports of imports from other gateways, with a comparison of every balance.")}
      actions={
        <Button
          component={Link}
          to="/panel/parallel_run"
          variant="default"
          leftSection={<IconArrowsDiff size={16} stroke={1.7} />}
        >
          {t("Parallel run")}
        </Button>
      }
    >
      <Section>
        {reports.isPending ? (
          <Skeleton height={120} />
        ) : reports.isError ? (
          <LoadError error={reports.error} onRetry={() => void reports.refetch()} />
        ) : reports.data.length === 0 ? (
          <Empty
            icon={IconDatabaseImport}
            title={t("Nothing was imported")}
            hint={
              <Stack gap="xs">
                <Text fz="sm">
                  {t(
                    "You can only import into a new installation. Choose “Migrate from another gateway” at the set-up link, or use the command line.",
                  )}
                </Text>
                <Code block ta="left" style={{ whiteSpace: "pre-wrap" }}>
                  {commandParts.map((part) => (
                    <Fragment key={part}>
                      <span style={{ whiteSpace: "nowrap" }}>{part}</span>{" "}
                    </Fragment>
                  ))}
                </Code>
              </Stack>
            }
          />
        ) : (
          <LineList>
            {reports.data.map((row) => (
              <Line
                key={row.id}
                picture={<IconDatabaseImport size={18} stroke={1.7} />}
                title={
                  <Text fw={600} fz="sm">
                    {row.title}
                  </Text>
                }
                detail={t("{{time}} · {{origin}} · {{users}} users · {{points}} points", {
                  time: formatTime(row.created_time),
                  origin: row.origin,
                  users: number.format(row.users),
                  points: number.format(BigInt(row.balances.here)),
                })}
                action={
                  <Button variant="default" size="compact-sm" onClick={() => onOpen(row.id)}>
                    {t("Open the report")}
                  </Button>
                }
              />
            ))}
          </LineList>
        )}
      </Section>
    </Page>
  );
}

function OneReport({ id, onBack }: { id: number; onBack: () => void }) {
  const { t } = useTranslation("migration");
  const detail = useQuery(reportQuery(id));
  const back = (
    <Button variant="default" leftSection={<IconArrowLeft size={16} stroke={1.7} />} onClick={onBack}>
      {t("All imports")}
    </Button>
  );
  if (detail.data === undefined)
    return (
      <Page title={t("Import report")} actions={back}>
        <Section>
          <UnloadedObject
            error={detail.error}
            onRetry={() => void detail.refetch()}
            missing={t("This import was not found")}
            list={{ to: "/panel/migration", label: t("All imports") }}
          />
        </Section>
      </Page>
    );
  const { report, title } = detail.data;
  return (
    <Page
      title={t("Import from {{product}}", { product: title })}
      description={`${report.origin} · ${formatTime(Date.parse(report.finished_at) / 1000)}`}
      actions={
        <Group gap="xs">
          {back}
          <DownloadReport report={report} />
        </Group>
      }
    >
      {report.notes.some(({ code }) => code === "model_unpriced") ? (
        <Alert color="amber" icon={<IconAlertTriangle size={18} />}>
          {t("Some models have no price. Add prices before your users call them.")}
        </Alert>
      ) : null}
      <ReportView report={report} />
    </Page>
  );
}

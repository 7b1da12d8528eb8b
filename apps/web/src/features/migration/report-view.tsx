/** The report of an import or a dry run: what was taken over, what needs attention, and the proof. */
import type { ImportReport } from "@gateway/shared/site/migration";
import { Alert, Button, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { downloadJson } from "#lib/download.ts";
import { Fold } from "#ui/fold.tsx";
import { Section } from "#ui/page/page.tsx";
import { kindText } from "./labels.ts";
import { Notes } from "./notes.tsx";
import { ProofSection } from "./proof-section.tsx";
import classes from "./report.module.css";

export function ReportView({ report }: { report: ImportReport }) {
  const attention = report.notes.filter((note) => note.level === "attention");
  const noted = report.notes.filter((note) => note.level === "info");
  const { t } = useTranslation("migration");
  return (
    <Stack gap="md">
      <Verdict report={report} />
      {attention.length === 0 ? null : (
        <Section title={t("Needs your attention")} hint={t("These items work differently than before.")}>
          <Notes notes={attention} />
        </Section>
      )}
      <ProofSection report={report} />
      <Section title={t("What is imported")}>
        <Counts report={report} />
      </Section>
      {noted.length === 0 ? null : (
        <Section title={t("Other notes")}>
          <Notes notes={noted} />
        </Section>
      )}
      {report.unknown.length === 0 ? null : (
        <Section
          title={t("Tables and columns that were not read")}
          hint={t("They belong to a version of the other gateway that is not supported here.")}
        >
          <Fold label={t("Show {{count}} tables", { count: report.unknown.length })}>
            <ul className={classes.notes}>
              {report.unknown.map(({ table, columns }) => (
                <li key={table}>
                  <Text ff="monospace" fz="sm">
                    {table}
                  </Text>
                  {columns.length === 0 ? null : <div className={classes.examples}>{columns.join(", ")}</div>}
                </li>
              ))}
            </ul>
          </Fold>
        </Section>
      )}
    </Stack>
  );
}

function Verdict({ report }: { report: ImportReport }) {
  const { t } = useTranslation("migration");
  if (!report.ok)
    return (
      <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t("A check failed")}>
        {t("Nothing was imported. Correct the problems listed below in the source, then start again.")}
      </Alert>
    );
  return (
    <Alert
      color="green"
      icon={<IconCircleCheck size={18} />}
      title={report.dry_run ? t("The dry run succeeded") : t("The import is complete")}
    >
      {report.dry_run
        ? t("Nothing has been changed yet. The import will make exactly the changes in this report.")
        : t("All balances are unchanged. Test the channels, then point your domain to this gateway.")}
    </Alert>
  );
}

function Counts({ report }: { report: ImportReport }) {
  const { t, i18n } = useTranslation("migration");
  const whole = new Intl.NumberFormat(i18n.language.replace("_", "-"));
  return (
    <div className={classes.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t("Kind")}</th>
            <th scope="col">{t("In the source")}</th>
            <th scope="col">{t("Imported")}</th>
            <th scope="col">{t("Left out")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(report.counts).map(([kind, { read, imported, skipped }]) => (
            <tr key={kind}>
              <th scope="row">{kindText(t, kind)}</th>
              <td>{whole.format(read)}</td>
              <td>{whole.format(imported)}</td>
              <td>{skipped === 0 ? "–" : whole.format(skipped)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Saves the report as the JSON that scripts read. */
export function DownloadReport({ report }: { report: ImportReport }) {
  const { t } = useTranslation("migration");
  const save = () => downloadJson(`import-${report.product}-${report.finished_at.slice(0, 10)}.json`, report);
  return (
    <Button variant="default" leftSection={<IconDownload size={16} stroke={1.7} />} onClick={save}>
      {t("Download JSON")}
    </Button>
  );
}

/** The migration wizard of the first run: an import from another gateway, after a dry run. */
import type { ImportRun, ImportStart } from "@gateway/shared/site/migration";
import { Alert, Anchor, Box, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { Mark } from "#components/icons/mark.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { statusQuery, usePageTitle, useSite } from "#lib/site.ts";
import { cancelRun, sendFile, startRun } from "./api.ts";
import { FailureText } from "./failure-text.tsx";
import { DownloadReport, ReportView } from "./report-view.tsx";
import { RunProgress } from "./run-progress.tsx";
import { emptySource, type ImportSource, SourceForm } from "./source-form.tsx";
import classes from "./report.module.css";

export default function WizardPage() {
  const { t } = useTranslation("migration");
  const [search] = useSearchParams();
  const token = search.get("token") ?? "";
  const site = useSite();
  // The import itself ends the set-up while this page is open.
  const [started, setStarted] = useState(false);
  const setUp = site?.needs_setup === false && !started;
  const title = t("Migrate from another gateway");
  usePageTitle(title);
  return (
    <Box maw={860} mx="auto" px="md" py={{ base: 32, sm: 56 }}>
      <Stack gap={4} mb="lg">
        <Mark size={36} />
        <Title order={1} fz={22} mt="md">
          {title}
        </Title>
        <Text c="dimmed">
          {t(
            "Users keep their passwords, clients keep their keys, and every balance is compared. Nothing is changed in the other gateway.",
          )}
        </Text>
      </Stack>
      {setUp || token === "" ? (
        <Paper withBorder p={{ base: "lg", sm: 36 }}>
          <Stack gap="sm" align="flex-start">
            <Text>
              {setUp
                ? t(
                    "This installation already has an administrator. You can only import into a new installation.",
                  )
                : t("Open the set-up link that the server printed when it started.")}
            </Text>
            <Anchor component={Link} to={setUp ? "/login" : "/setup"}>
              {setUp ? t("Sign in") : t("Back")}
            </Anchor>
          </Stack>
        </Paper>
      ) : (
        <Wizard token={token} onStart={() => setStarted(true)} />
      )}
    </Box>
  );
}

type WizardStep =
  | { name: "source" }
  | { name: "upload"; share: number }
  | { name: "run"; run: ImportRun }
  | { name: "ended"; run: ImportRun };

function Wizard({ token, onStart }: { token: string; onStart: () => void }) {
  const { t } = useTranslation("migration");
  const client = useQueryClient();
  const [source, setSource] = useState<ImportSource>(emptySource);
  const [step, setStep] = useState<WizardStep>({ name: "source" });
  const [fault, setFault] = useState<unknown>(null);
  const stop = useRef(new AbortController());

  async function start(dryRun: boolean, fileOf?: number) {
    setFault(null);
    onStart();
    stop.current = new AbortController();
    const { signal } = stop.current;
    const before = step;
    try {
      const input: ImportStart = {
        product: source.product,
        dry_run: dryRun,
        log_days: source.logDays,
        ...(source.kind === "address" ? { address: source.address } : {}),
        ...(fileOf === undefined ? {} : { file_of: fileOf }),
        ...(source.product === "litellm" ? { litellm: litellmOf(source) } : {}),
        ...(source.prices === null ? {} : { prices: source.prices.content as ImportStart["prices"] }),
      };
      const run = await startRun(token, input);
      if (run.status === "waiting" && source.file !== null) {
        setStep({ name: "upload", share: 0 });
        await sendFile(token, run.id, source.file, {
          onSent: (share) => setStep({ name: "upload", share }),
          signal,
        });
      }
      setStep({ name: "run", run });
    } catch (error) {
      if (!signal.aborted) setFault(error);
      setStep(signal.aborted || before.name === "source" ? { name: "source" } : before);
    }
  }

  async function cancel(id: number | undefined) {
    stop.current.abort();
    if (id !== undefined) await cancelRun(token, id).catch(setFault);
  }

  const note = fault === null ? null : errorReason(fault, t);
  switch (step.name) {
    case "source":
      return (
        <Paper withBorder p={{ base: "lg", sm: 36 }}>
          <SourceForm
            source={source}
            onChange={setSource}
            fault={note}
            token={token}
            onSubmit={() => start(true)}
          />
        </Paper>
      );
    case "upload":
      return (
        <Paper withBorder p={{ base: "lg", sm: 36 }}>
          <RunProgress
            title={t("Uploading the file")}
            share={step.share}
            onCancel={() => void cancel(undefined)}
          />
        </Paper>
      );
    case "run":
      return (
        <Paper withBorder p={{ base: "lg", sm: 36 }}>
          <RunProgress
            title={step.run.dry_run ? t("Dry run: nothing is changed") : t("Importing")}
            run={step.run.id}
            token={token}
            onCancel={() => void cancel(step.run.id)}
            onEnd={(run) => {
              setStep({ name: "ended", run });
              if (run.status === "done" && !run.dry_run)
                void client.invalidateQueries({ queryKey: statusQuery.queryKey });
            }}
          />
        </Paper>
      );
    case "ended":
      return (
        <Stack gap="md">
          {note === null ? null : <Failure text={note} />}
          <RunResult
            run={step.run}
            onBack={() => setStep({ name: "source" })}
            onImport={() => start(false, step.run.id)}
          />
        </Stack>
      );
  }
}

function litellmOf({ litellm: { config, saltKey, credit } }: ImportSource): ImportStart["litellm"] {
  return { config, salt_key: saltKey, ...(credit === "" ? {} : { credit }) };
}

function Failure({ text }: { text: string }) {
  return (
    <Paper withBorder p="md" role="alert">
      <Text c="red" fz="sm">
        {text}
      </Text>
    </Paper>
  );
}

type EndedProps = { run: ImportRun; onBack: () => void; onImport: () => Promise<void> };

function RunResult({ run, onBack, onImport }: EndedProps) {
  const { t } = useTranslation("migration");
  const [starting, setStarting] = useState(false);
  const back = (
    <Button variant="default" onClick={onBack}>
      {t("Back")}
    </Button>
  );
  if (run.report === null)
    return (
      <Paper withBorder p={{ base: "lg", sm: 36 }}>
        <Stack gap="md" align="flex-start">
          <Title order={2} fz="md">
            {run.status === "cancelled"
              ? t("Cancelled. Nothing was changed.")
              : run.dry_run
                ? t("The dry run failed")
                : t("The import failed")}
          </Title>
          {run.failure === null ? (
            run.status === "interrupted" ? (
              <Text fz="sm">
                {t("The server stopped during the import. Nothing was changed. Start again.")}
              </Text>
            ) : null
          ) : (
            <Alert color="red" role="alert" w="100%">
              <FailureText failure={run.failure} />
            </Alert>
          )}
          {back}
        </Stack>
      </Paper>
    );
  const { report } = run;
  return (
    <>
      <ReportView report={report} />
      <Paper withBorder p="lg" className={classes.actions ?? ""}>
        {report.ok && !run.dry_run ? (
          <Stack gap="sm" align="flex-start">
            {report.notes.some(({ code }) => code === "root_without_password") ? (
              <Alert color="amber" icon={<IconAlertTriangle size={18} />}>
                {t("The root account has no password yet. Set one on the server: gateway users recover 1")}
              </Alert>
            ) : null}
            <Text>
              {t(
                "Sign in with the username and password of an administrator of the other gateway. The set-up link no longer works.",
              )}
            </Text>
            <Group gap="xs">
              <Button component={Link} to="/login">
                {t("Sign in")}
              </Button>
              <DownloadReport report={report} />
            </Group>
          </Stack>
        ) : (
          <Stack gap="sm">
            {report.ok ? (
              <Text fz="sm">
                {t(
                  "Stop the other gateway before you import, so that its balances are final. Calls after the dry run change the numbers in this report.",
                )}
              </Text>
            ) : null}
            <Group gap="xs">
              {report.ok ? (
                <Button
                  loading={starting}
                  onClick={() => {
                    setStarting(true);
                    void onImport().finally(() => setStarting(false));
                  }}
                >
                  {t("Import now")}
                </Button>
              ) : null}
              {back}
              <DownloadReport report={report} />
            </Group>
          </Stack>
        )}
      </Paper>
    </>
  );
}

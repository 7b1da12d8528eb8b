/** How far the request log is exported, and why an export fails. */
import type { LogExportStatus } from "@gateway/shared/site/log-export";
import { Alert, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconFileDatabase, IconUpload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { logExportQuery, useStartLogExport } from "#features/settings/api.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { formatBytes } from "#lib/format/bytes.ts";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { hasErrorCode, storedReason } from "#lib/labels/reasons.ts";
import { useCan } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

/** Hours with calls that are shown. */
const mostHours = 5;

export function LogExportState() {
  const { t } = useTranslation("settings");
  const status = useQuery(logExportQuery);
  const start = useStartLogExport();
  const isRoot = useCan("configure");
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={3} fz="sm">
          {t("Exported hours")}
        </Title>
        {isRoot ? (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconUpload size={14} stroke={1.7} />}
            loading={start.isPending || status.data?.is_running === true}
            onClick={() => start.mutate()}
          >
            {t("Export now")}
          </Button>
        ) : null}
      </Group>
      {status.data ? (
        <ExportState status={status.data} />
      ) : (
        <QueryFallback query={status}>
          <Skeleton height={120} radius="md" aria-busy />
        </QueryFallback>
      )}
    </Stack>
  );
}

function ExportState({ status }: { status: LogExportStatus }) {
  const { t } = useTranslation("settings");
  const format = useFormat();
  const { exported_until: until, place, failures } = status;
  const hours = status.hours.filter(({ rows }) => rows > 0).slice(0, mostHours);
  return (
    <>
      {failures > 0 ? <Failure status={status} /> : null}
      <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        {until === null ? (
          t("Nothing was exported yet. The first export begins within five minutes.")
        ) : (
          <>
            {t("Exported until {{time}}", { time: formatTime(until) })} (<RelativeTime seconds={until} />)
            {place === "" ? "" : ` · ${place}`}
          </>
        )}
      </Text>
      {until !== null && hours.length === 0 ? (
        <Empty
          compact
          icon={IconFileDatabase}
          title={t("No calls in the exported hours")}
          hint={t("An hour without calls has no files.")}
        />
      ) : (
        <LineList>
          {hours.map((hour) => (
            <Line
              key={hour.hour}
              picture={<IconFileDatabase size={18} />}
              title={
                <Text fw={500} fz="sm">
                  {formatTime(hour.hour)}
                </Text>
              }
              detail={[
                t("{{number}} entries", { count: hour.rows, number: format.whole(hour.rows) }),
                t("{{count}} files", { count: hour.files }),
                formatBytes(hour.bytes),
              ].join(" · ")}
            />
          ))}
        </LineList>
      )}
    </>
  );
}

function Failure({ status }: { status: LogExportStatus }) {
  const { t } = useTranslation("settings");
  const { reason, reason_facts: facts, failures, retry_at: retryAt } = status;
  useErrorTexts(hasErrorCode(facts));
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t("The log is not exported")}>
      <Text fz="sm" style={{ overflowWrap: "anywhere" }}>
        {storedReason(t, reason, facts)}
      </Text>
      <Text fz="sm" mt={4}>
        {t("{{count}} failed attempts.", { count: failures })}{" "}
        {retryAt === null ? null : t("Next attempt: {{time}}", { time: formatTime(retryAt) })}
      </Text>
    </Alert>
  );
}

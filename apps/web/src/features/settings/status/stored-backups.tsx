/** The backups in the place of the saved settings. */
import type { BackupList, BackupProgress } from "@gateway/shared/site/backup-list";
import { Alert, Badge, Button, Group, Progress, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconArchive, IconDatabaseExport, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { backupsQuery, useStartBackup } from "#features/settings/api.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { formatBytes } from "#lib/format/bytes.ts";
import { formatTime } from "#lib/format/quota.ts";
import { hasErrorCode, storedReason } from "#lib/labels/reasons.ts";
import { useCan } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

/** Backups that are shown before the reader wants all. */
const fewest = 5;

export function StoredBackups() {
  const { t } = useTranslation("settings");
  const backups = useQuery(backupsQuery);
  const start = useStartBackup();
  const isRoot = useCan("configure");
  const progress = backups.data?.progress ?? null;
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Title order={3} fz="sm">
          {t("Stored backups")}
        </Title>
        {isRoot ? (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconDatabaseExport size={14} stroke={1.7} />}
            loading={start.isPending || progress !== null}
            onClick={() => start.mutate()}
          >
            {t("Back up now")}
          </Button>
        ) : null}
      </Group>
      {backups.data ? (
        <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {backups.data.place}
        </Text>
      ) : null}
      {progress === null ? null : <RunningBackup progress={progress} />}
      {progress === null && backups.data?.failure ? <FailedBackup failure={backups.data.failure} /> : null}
      {!backups.data ? (
        <QueryFallback query={backups}>
          <Stack gap="xs" aria-busy>
            {[0, 1, 2].map((line) => (
              <Skeleton key={line} height={44} radius="md" />
            ))}
          </Stack>
        </QueryFallback>
      ) : backups.data.backups.length === 0 ? (
        progress !== null ? null : (
          <Empty
            compact
            icon={IconArchive}
            title={t("No backup yet")}
            hint={t("The first one is written within an hour.")}
          />
        )
      ) : (
        <BackupLines list={backups.data} />
      )}
    </Stack>
  );
}

function RunningBackup({ progress: { is_checking: isChecking, share } }: { progress: BackupProgress }) {
  const { t } = useTranslation("settings");
  const text = isChecking ? t("Reading the backup to check it…") : t("Writing the backup…");
  const percent = isChecking ? 100 : Math.round((share ?? 0) * 100);
  return (
    <div role="status">
      <Text fz="sm" mb={6}>
        {text}
      </Text>
      <Progress value={percent} animated={isChecking || share === null} aria-label={text} />
    </div>
  );
}

function FailedBackup({ failure }: { failure: NonNullable<BackupList["failure"]> }) {
  const { t } = useTranslation("settings");
  useErrorTexts(hasErrorCode(failure.reason_facts));
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t("The last backup failed")}>
      <Text fz="sm" style={{ overflowWrap: "anywhere" }}>
        {storedReason(t, failure.reason, failure.reason_facts)}
      </Text>
      <Text fz="sm" mt={4}>
        {formatTime(failure.time)} (<RelativeTime seconds={failure.time} />)
      </Text>
    </Alert>
  );
}

function BackupLines({ list: { backups, total } }: { list: BackupList }) {
  const { t } = useTranslation("settings");
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? backups : backups.slice(0, fewest);
  return (
    <>
      <LineList>
        {shown.map((backup) => (
          <Line
            key={backup.name}
            picture={backup.is_encrypted ? <IconLock size={18} /> : <IconArchive size={18} />}
            title={
              <Group gap={8} fz="sm">
                <Text fw={500} fz="inherit">
                  {formatTime(backup.created_at)}
                </Text>
                <Text span c="dimmed" fz="inherit">
                  <RelativeTime seconds={backup.created_at} inList />
                </Text>
              </Group>
            }
            detail={[
              formatBytes(backup.bytes),
              backup.is_encrypted ? t("Encrypted") : t("Not encrypted"),
              backup.version === null ? "" : t("Version {{version}}", { version: backup.version }),
              backup.name,
            ]
              .filter((part) => part !== "")
              .join(" · ")}
            action={
              backup.verified_at === null ? (
                <Badge color="gray" title={t("This installation has not written it.")}>
                  {t("Not verified")}
                </Badge>
              ) : (
                <Badge color="green" title={formatTime(backup.verified_at)}>
                  {t("Verified")}
                </Badge>
              )
            }
          />
        ))}
      </LineList>
      {shown.length < backups.length ? (
        <div>
          <Button variant="default" size="compact-sm" onClick={() => setWhole(true)}>
            {t("Show {{count}} backups", { count: backups.length })}
          </Button>
        </div>
      ) : null}
      {isWhole && total > backups.length ? (
        <Text fz="sm" c="dimmed">
          {t("The newest {{shown}} of {{total}} backups are listed.", { shown: backups.length, total })}
        </Text>
      ) : null}
    </>
  );
}

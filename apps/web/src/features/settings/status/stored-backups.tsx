/** The backups in the place of the saved settings. */
import type { BackupList } from "@gateway/shared/site/backup-list";
import { Badge, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconArchive, IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { backupsQuery } from "#features/settings/api.ts";
import { formatBytes } from "#lib/format/bytes.ts";
import { formatTime } from "#lib/format/quota.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

/** Backups that are shown before the reader wants all. */
const fewest = 5;

export function StoredBackups() {
  const { t } = useTranslation("settings");
  const backups = useQuery(backupsQuery);
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        <Title order={3} fz="sm">
          {t("Stored backups")}
        </Title>
        {backups.data ? (
          <Text fz="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {backups.data.place}
          </Text>
        ) : null}
      </Group>
      {!backups.data ? (
        <QueryFallback query={backups}>
          <Stack gap="xs" aria-busy>
            {[0, 1, 2].map((line) => (
              <Skeleton key={line} height={44} radius="md" />
            ))}
          </Stack>
        </QueryFallback>
      ) : backups.data.backups.length === 0 ? (
        <Empty
          compact
          icon={IconArchive}
          title={t("No backup yet")}
          hint={t("The first one is written within an hour.")}
        />
      ) : (
        <BackupLines list={backups.data} />
      )}
    </Stack>
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

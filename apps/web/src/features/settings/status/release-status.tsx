/** Whether there is a newer version of the gateway, and what it changes. */
import type { ReleaseCheckStatus } from "@gateway/shared/site/release-check";
import { Alert, Anchor, Button, Group, ScrollArea, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconRefresh, IconSparkles } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { releaseCheckQuery, useCheckRelease } from "#features/settings/api.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { formatTime } from "#lib/format/quota.ts";
import { hasErrorCode, storedReason } from "#lib/labels/reasons.ts";
import { useCan } from "#lib/session.ts";
import { QueryFallback } from "#ui/empty.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";

/** Only root may read it. */
export function ReleaseState() {
  return useCan("configure") ? <State /> : null;
}

function State() {
  const { t } = useTranslation("settings");
  const status = useQuery(releaseCheckQuery);
  const check = useCheckRelease();
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Title order={3} fz="sm">
          {t("Latest version")}
        </Title>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRefresh size={14} stroke={1.7} />}
          loading={check.isPending}
          onClick={() => check.mutate()}
        >
          {t("Check now")}
        </Button>
      </Group>
      {status.data ? (
        <ReleaseDetails status={status.data} />
      ) : (
        <QueryFallback query={status}>
          <Skeleton height={60} radius="md" aria-busy />
        </QueryFallback>
      )}
    </Stack>
  );
}

function ReleaseDetails({ status }: { status: ReleaseCheckStatus }) {
  const { t } = useTranslation("settings");
  const { version, release, is_newer: isNewer, checked_at: checkedAt, reason } = status;
  return (
    <>
      {reason === "" ? null : <Failure status={status} />}
      {release !== null && isNewer ? <Release release={release} /> : null}
      <Text fz="sm" c="dimmed">
        {checkedAt === null ? (
          t("This is version {{version}}. Nothing was checked yet.", { version })
        ) : (
          <>
            {release !== null && !isNewer
              ? t("This is version {{version}}. There is no newer one.", { version })
              : t("This is version {{version}}.", { version })}{" "}
            {t("Last check:")} <RelativeTime seconds={checkedAt} />
          </>
        )}
      </Text>
    </>
  );
}

function Failure({ status: { reason, reason_facts: facts } }: { status: ReleaseCheckStatus }) {
  const { t } = useTranslation("settings");
  useErrorTexts(hasErrorCode(facts));
  return (
    <Alert color="red" icon={<IconAlertTriangle size={18} />} title={t("The last check failed")}>
      <Text fz="sm" style={{ overflowWrap: "anywhere" }}>
        {storedReason(t, reason, facts)}
      </Text>
    </Alert>
  );
}

const mostHeight = 320;

function Release({ release }: { release: NonNullable<ReleaseCheckStatus["release"]> }) {
  const { version, name, notes, url, published_at: published } = release;
  const { t } = useTranslation("settings");
  const heading = [name, published === null ? "" : formatTime(published)].filter(Boolean).join(" · ");
  return (
    <Alert icon={<IconSparkles size={18} />} title={t("Version {{version}} is available", { version })}>
      <Stack gap="xs">
        {heading === "" ? null : <Text fz="sm">{heading}</Text>}
        {notes === "" ? null : (
          <ScrollArea.Autosize mah={mostHeight} type="auto" viewportProps={{ tabIndex: 0 }}>
            <Text fz="sm" style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>
              {notes}
            </Text>
          </ScrollArea.Autosize>
        )}
        {url === "" ? null : (
          <Anchor href={url} target="_blank" rel="noopener noreferrer" fz="sm">
            {t("Open the page of the release")}
          </Anchor>
        )}
      </Stack>
    </Alert>
  );
}

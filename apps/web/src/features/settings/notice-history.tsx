/** What operators were told lately, and how that went. */
import type { NoticeRow } from "@gateway/shared/site/notice";
import { Badge, Group, Skeleton, Text, Tooltip } from "@mantine/core";
import { IconBellOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { phrase } from "#lib/i18n.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { Section } from "#ui/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { noticesQuery } from "./api.ts";
import classes from "./settings.module.css";

export function NoticeHistory() {
  const { t } = useTranslation();
  const notices = useQuery(noticesQuery);
  return (
    <Section title={t("Lately")} hint={t("The last notices, kept for 30 days.")}>
      {notices.error && !notices.data ? (
        <Failed error={notices.error} onRetry={() => void notices.refetch()} />
      ) : !notices.data ? (
        <Skeleton height={120} radius="md" />
      ) : notices.data.length === 0 ? (
        <Empty
          icon={IconBellOff}
          title={t("Nothing to tell so far")}
          hint={t("Channels that go off, jobs that fail and the like appear here.")}
        />
      ) : (
        <ul className={classes.notices}>
          {notices.data.map((notice) => (
            <Notice key={notice.id} notice={notice} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const channelTitles: Record<string, string> = {
  email: phrase("Mail"),
  telegram: "Telegram",
  lark: phrase("Lark robot"),
  dingtalk: phrase("DingTalk robot"),
  wecom: phrase("WeCom robot"),
  pushdeer: "PushDeer",
  webhook: "Webhook",
};
const colors = { sent: "green", pending: "amber", failed: "red" } as const;

function Notice({ notice }: { notice: NoticeRow }) {
  const { t } = useTranslation();
  const states = { sent: t("sent"), pending: t("waiting"), failed: t("failed") };
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="baseline" gap="sm">
        <Text fw={500} miw={0}>
          {notice.title}
          {notice.repeats > 0 ? (
            <Text span c="dimmed" fz="sm" ml={8}>
              {t("and {{count}} times more", { count: notice.repeats })}
            </Text>
          ) : null}
        </Text>
        <Text c="dimmed" fz="sm" flex="none">
          <RelativeTime seconds={notice.created_time} />
        </Text>
      </Group>
      {notice.text === "" ? null : (
        <Text fz="sm" c="dimmed" className={classes.noticeText ?? ""}>
          {notice.text}
        </Text>
      )}
      <Group gap={6} mt={6}>
        {notice.deliveries.length === 0 ? (
          <Badge color="gray" variant="light">
            {t("Not sent")}
          </Badge>
        ) : (
          notice.deliveries.map(({ channel, status, error }) => (
            <Tooltip key={channel} label={error} disabled={error === ""} multiline maw={320}>
              <Badge color={colors[status]} variant="light" tabIndex={error === "" ? undefined : 0}>
                {t(channelTitles[channel] ?? channel)} · {states[status]}
              </Badge>
            </Tooltip>
          ))
        )}
      </Group>
    </li>
  );
}

import type { LogBodies, LogRow } from "@gateway/shared/usage/log";
import { LogType } from "@gateway/shared/usage/log-type";
import { Group, Stack, Tabs, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { readConversation } from "#components/conversation/conversation.ts";
import { bodiesQuery } from "#features/logs/api.ts";
import { ConversationView } from "#features/logs/conversation/conversation-view.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { CopyButton } from "#ui/copy.tsx";
import { LoadError } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { BodyActions } from "./body-actions.tsx";
import classes from "#features/logs/logs.module.css";

/** Request and response bodies of a call. Renders nothing when they were not stored or have expired. */
export function Bodies({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const call = row.type === LogType.consume || row.type === LogType.failed;
  const storedBodies = useQuery({ ...bodiesQuery(row.request_id), enabled: call && row.request_id !== "" });
  const bodies = storedBodies.data;
  if (storedBodies.error && bodies === undefined)
    return (
      <Section padding="md" title={t("Request and response")}>
        <LoadError error={storedBodies.error} onRetry={() => void storedBodies.refetch()} />
      </Section>
    );
  if (!bodies) return null;
  return <KeptBodies row={row} bodies={bodies} />;
}

/** @param row the call, for actions with its bodies */
export function KeptBodies({ row, bodies }: { row?: LogRow; bodies: LogBodies }) {
  const { t } = useTranslation("logs");
  const conversation = useMemo(() => readConversation(bodies.request, bodies.response), [bodies]);
  const [tab, setTab] = useState<string | null>(null);
  const raw = (
    <Stack gap="md">
      <Body title={t("Request")} text={bodies.request} bytes={bodies.request_bytes} />
      <Body title={t("Response")} text={bodies.response} bytes={bodies.response_bytes} />
    </Stack>
  );
  return (
    <Section padding="md" title={t("Request and response")}>
      <Stack gap="md">
        {row ? <BodyActions row={row} bodies={bodies} conversation={conversation} /> : null}
        {conversation ? (
          <Tabs value={tab ?? "conversation"} onChange={setTab} keepMounted={false}>
            <Tabs.List mb="sm">
              <Tabs.Tab value="conversation">{t("Conversation")}</Tabs.Tab>
              <Tabs.Tab value="raw">{t("Raw")}</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="conversation">
              <ConversationView conversation={conversation} />
            </Tabs.Panel>
            <Tabs.Panel value="raw">{raw}</Tabs.Panel>
          </Tabs>
        ) : (
          raw
        )}
        <Text c="dimmed" fz="xs">
          {t(
            "Stored because the token or the channel is set to store requests and responses. The data is encrypted and deleted after a few days.",
          )}
        </Text>
      </Stack>
    </Section>
  );
}

function Body({ title, text, bytes }: { title: string; text: string; bytes: number }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const id = useId();
  const cut = new TextEncoder().encode(text).length < bytes;
  const size = t("{{number}} bytes", { count: bytes, number: format.whole(bytes) });
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Text fz="sm" fw={500} id={id}>
          {title}
          <Text span fz="xs" c="dimmed" fw={400} ml={8}>
            {cut ? `${size}, ${t("truncated")}` : size}
          </Text>
        </Text>
        {text === "" ? null : <CopyButton text={text} label={title} />}
      </Group>
      {text === "" ? (
        <Text c="dimmed" fz="sm">
          {bytes === 0 ? t("Empty") : t("The body is not text.")}
        </Text>
      ) : (
        <pre className={classes.body} tabIndex={0} aria-labelledby={id}>
          {readable(text)}
        </pre>
      )}
    </div>
  );
}

/** Formats JSON; returns other text, mostly streams, unchanged. */
function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

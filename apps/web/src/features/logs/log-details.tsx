/** One entry of the log, explained. */
import { type LogRow, LogType } from "@gateway/shared/usage/log";
import { Alert, Drawer, Group, ScrollArea, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/provider-icon.tsx";
import { Section } from "#ui/page.tsx";
import { StatusDot } from "#ui/status-dot.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { Attempts } from "./attempts.tsx";
import { BillTable } from "./bill-table.tsx";
import { Bodies } from "./bodies.tsx";
import { LogFacts } from "./log-facts.tsx";
import { contentText, isCall, outcomeWord, typeText } from "./log-labels.ts";
import { PausedChannels } from "./paused-channels.tsx";

export function LogDetails({ row, onClose }: { row: LogRow | null; onClose: () => void }) {
  const phone = useIsPhone();
  // The last row stays while the drawer slides out.
  const [shown, setShown] = useState(row);
  if (row && row !== shown) setShown(row);
  return (
    <Drawer
      opened={row !== null}
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 600}
      padding="lg"
      scrollAreaComponent={ScrollArea.Autosize}
      title={shown ? <Heading row={shown} /> : null}
    >
      {shown ? <Details row={shown} /> : null}
    </Drawer>
  );
}

function Heading({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const { tone, text } = outcomeWord(row);
  const named = isCall(row) && row.model_name !== "";
  return (
    <Group gap={10} wrap="nowrap">
      {named ? <ModelIcon model={row.model_name} size={20} /> : null}
      <Title order={2} component="span" fz="lg" style={{ overflowWrap: "anywhere" }}>
        {named ? row.model_name : t(typeText(row.type))}
      </Title>
      {named ? (
        <Text span fz="sm">
          <StatusDot tone={tone}>{t(text)}</StatusDot>
        </Text>
      ) : null}
    </Group>
  );
}

function Details({ row }: { row: LogRow }) {
  const { t } = useTranslation();
  const failed = row.type === LogType.failed;
  const { sentence } = outcomeWord(row);
  return (
    <Stack gap="md">
      {failed && row.content ? (
        <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} title={row.content}>
          <Text fz="sm" c="dimmed">
            {[row.error_code, row.status > 0 ? `HTTP ${row.status}` : ""].filter(Boolean).join(" · ")}
          </Text>
        </Alert>
      ) : row.content ? (
        <Text>{contentText(t, row)}</Text>
      ) : null}
      {sentence ? <Text c="dimmed">{t(sentence)}</Text> : null}
      {row.bill ? (
        <Section padding="md" title={t("The bill")}>
          <BillTable row={row} bill={row.bill} />
        </Section>
      ) : null}
      {row.attempts && isCall(row) ? (
        <Section padding="md" title={t("Why this channel")}>
          <Attempts row={row} attempts={row.attempts} />
          {row.paused && row.paused.length > 0 ? <PausedChannels paused={row.paused} /> : null}
        </Section>
      ) : null}
      <Section padding="md" title={t("Facts")}>
        <LogFacts row={row} />
      </Section>
      <Bodies row={row} />
    </Stack>
  );
}

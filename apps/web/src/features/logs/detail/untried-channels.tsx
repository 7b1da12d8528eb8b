/** Channels that could have served a call but were not called: paused at its start, or not needed. */
import type { LogRow, SkipReason } from "@gateway/shared/usage/log";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatTime } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { attemptResultText } from "#lib/labels/attempt-labels.ts";
import { ChannelLink } from "./waterfall.tsx";
import classes from "./call.module.css";

const phrase = phrasesIn("logs");

const skipTexts: Record<SkipReason, string> = {
  "lower-priority": phrase("Not needed: lower priority"),
  "not-chosen": phrase("Not selected: another channel with the same priority was used"),
  "backup-group": phrase("Not needed: backup group"),
  busy: phrase("Concurrency limit reached"),
  paused: phrase("Paused during the call"),
  "no-tools": phrase("Does not support tools"),
  "no-streaming": phrase("Does not support streaming for this model"),
  "no-price": phrase("The model it maps to has no price"),
};

export function UntriedChannels({ row }: { row: LogRow }) {
  const { t } = useTranslation("logs");
  const [paused, skipped] = [row.paused ?? [], row.skipped ?? []];
  if (paused.length + skipped.length === 0) return null;
  return (
    <>
      {paused.length > 0 ? (
        <ChannelNotes title={t("Paused when the call began")}>
          {paused.map((note) => (
            <li key={note.channel_id}>
              <ChannelLink id={note.channel_id} name={note.channel_name} />
              <Text c="dimmed" fz="sm">
                {[
                  t(attemptResultText(note.reason)),
                  t("until {{time}}", { time: formatTime(note.paused_until) }),
                  note.provider_asked ? t("the provider requested a pause") : "",
                  note.own_calls_only ? t("for this account only") : t("for every account"),
                ]
                  .filter(Boolean)
                  .join(" · ")}
              </Text>
            </li>
          ))}
        </ChannelNotes>
      ) : null}
      {skipped.length > 0 ? (
        <ChannelNotes title={t("Skipped channels")}>
          {skipped.map((note) => (
            <li key={note.channel_id}>
              <ChannelLink id={note.channel_id} name={note.channel_name} />
              <Text c="dimmed" fz="sm">
                {t(skipTexts[note.skipped])} · {t("priority {{priority}}", { priority: note.priority })}
              </Text>
            </li>
          ))}
        </ChannelNotes>
      ) : null}
    </>
  );
}

function ChannelNotes({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <Text fw={500} fz="sm" mt="md" mb={6}>
        {title}
      </Text>
      <ul className={classes.untried}>{children}</ul>
    </>
  );
}

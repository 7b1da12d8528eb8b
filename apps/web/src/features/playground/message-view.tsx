import { ActionIcon, Alert, Anchor, Group, Loader, Text, Tooltip } from "@mantine/core";
import { IconAlertCircle, IconRefresh } from "@tabler/icons-react";
import { lazy, memo, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { formatDuration, useFormat } from "#lib/quota.ts";
import { CopyButton } from "#ui/copy.tsx";
import { Fold } from "#ui/fold.tsx";
import { ModelIcon } from "#ui/vendor-icon.tsx";
import type { ChatMessage } from "./use-chat.ts";
import classes from "./playground.module.css";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));

type MessageViewProps = { message: ChatMessage; onRetry?: () => void };

export const MessageView = memo(function MessageView({ message, onRetry }: MessageViewProps) {
  const { t } = useTranslation();
  if (message.role === "user")
    return (
      <div className={classes.user}>
        <div className={classes.bubble}>{message.text}</div>
      </div>
    );
  const waiting = message.state === "writing" && message.text === "" && message.reasoning === "";
  return (
    <div className={classes.assistant}>
      <Group gap={8} mb={6} wrap="nowrap">
        <ModelIcon model={message.model} size={18} />
        <Text fz="sm" fw={600} ff="monospace" truncate>
          {message.model}
        </Text>
      </Group>
      {message.reasoning ? (
        <div className={classes.reasoning}>
          <Fold label={t("Thoughts")} opened={message.state === "writing" && message.text === ""}>
            <Text fz="sm" c="dimmed" className={classes.pre}>
              {message.reasoning}
            </Text>
          </Fold>
        </div>
      ) : null}
      {waiting ? <Loader type="dots" size="sm" aria-label={t("Waiting for the first word")} /> : null}
      {message.text ? (
        <Suspense fallback={<Text className={classes.pre}>{message.text}</Text>}>
          <RichText text={message.text} />
        </Suspense>
      ) : null}
      {message.state === "failed" ? (
        <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} mt="xs">
          {message.error}
        </Alert>
      ) : null}
      {message.state === "writing" ? null : <Facts message={message} onRetry={onRetry} />}
    </div>
  );
});

function Facts({ message, onRetry }: MessageViewProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { usage } = message;
  return (
    <Group gap="4px 14px" mt={8} fz="xs" c="dimmed" className="tabular">
      {message.state === "stopped" ? <span>{t("Stopped")}</span> : null}
      {usage ? (
        <span>
          {t("{{input}} in, {{output}} out", {
            input: format.whole(usage.input),
            output: format.whole(usage.output),
          })}
        </span>
      ) : null}
      {message.firstMs > 0 ? (
        <span>{t("first word after {{time}}", { time: formatDuration(message.firstMs) })}</span>
      ) : null}
      <span>{t("{{time}} in all", { time: formatDuration(message.totalMs) })}</span>
      {message.requestId ? (
        <Anchor component={Link} fz="xs" to={`/panel/log?request_id=${message.requestId}`}>
          {t("See what it cost")}
        </Anchor>
      ) : null}
      <Group gap={0}>
        {message.text ? <CopyButton text={message.text} label={t("Answer")} size={24} /> : null}
        {onRetry ? (
          <Tooltip label={t("Ask again")}>
            <ActionIcon size={24} aria-label={t("Ask again")} onClick={onRetry}>
              <IconRefresh size={15} />
            </ActionIcon>
          </Tooltip>
        ) : null}
      </Group>
    </Group>
  );
}

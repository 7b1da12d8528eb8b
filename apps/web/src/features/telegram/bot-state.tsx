/** The bot's status at Telegram, and a button that sends the commands again. */
import { can } from "@gateway/shared/accounts/roles";
import type { TelegramStatus } from "@gateway/shared/site/telegram";
import { Anchor, Button, Card, Group, Skeleton, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useMayChange } from "#lib/changes.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { storedReason } from "#lib/labels/reasons.ts";
import { useSelf } from "#lib/session.ts";
import { StatusDot, type Tone } from "#ui/status-dot.tsx";
import { toast } from "#ui/toast.tsx";
import { botQuery, useReloadBot } from "./api.ts";

const phrase = phrasesIn("telegram");

// Messages of our server. Telegram's own messages are not translated.
phrase("Telegram: Unauthorized.");

export function BotState() {
  const { t } = useTranslation("telegram");
  useErrorTexts();
  const self = useSelf();
  const mayChange = useMayChange();
  const bot = useQuery(botQuery);
  const reload = useReloadBot();
  const act = () =>
    reload.mutate(undefined, { onSuccess: () => toast.success(t("Menu updated in Telegram")) });

  const status = bot.data;
  const { tone, word, hint } = status ? labelFor(status, t) : unknownState(bot.error, t);
  return (
    <Card padding="md">
      <Group justify="space-between" gap="sm">
        {bot.isPending ? (
          <Skeleton h={{ base: 64, sm: 40 }} width={280} radius="sm" />
        ) : (
          <div style={{ minWidth: 0, flex: "1 1 260px" }}>
            <Group gap={8}>
              <StatusDot tone={tone}>{word}</StatusDot>
              {status?.username ? (
                <Anchor href={`https://t.me/${status.username}`} target="_blank" rel="noreferrer" fz="sm">
                  @{status.username}
                </Anchor>
              ) : null}
            </Group>
            <Text fz="sm" c="dimmed" mt={4} maw={680}>
              {hint}
            </Text>
          </div>
        )}
        {bot.error && !status ? (
          <Button variant="default" loading={bot.isFetching} onClick={() => void bot.refetch()}>
            {t("Try again")}
          </Button>
        ) : status?.configured === false ? (
          self && can(self.role, "configure") ? (
            <Button variant="default" component={Link} to="/panel/setting?q=Telegram">
              {t("Open the settings")}
            </Button>
          ) : null
        ) : mayChange ? (
          <Button
            variant="default"
            leftSection={<IconRefresh size={16} />}
            loading={reload.isPending}
            disabled={bot.isPending}
            onClick={act}
          >
            {t("Reload menu")}
          </Button>
        ) : null}
      </Group>
    </Card>
  );
}

type Messages = { tone: Tone; word: string; hint: string };

function labelFor(
  { configured, status, is_webhook, problem, problem_facts }: TelegramStatus,
  t: TFunction<"telegram">,
): Messages {
  if (!configured)
    return {
      tone: "idle",
      word: t("No bot yet"),
      hint: t("Create a bot with @BotFather and save its token in the settings."),
    };
  if (!status) return { tone: "bad", word: t("Not working"), hint: storedReason(t, problem, problem_facts) };
  if (!is_webhook)
    return {
      tone: "warn",
      word: t("No response yet"),
      hint: t("Save the site's https address in the settings, then reload the menu."),
    };
  return {
    tone: problem === "" ? "good" : "warn",
    word: t("Working"),
    hint:
      problem === ""
        ? t("Changes of replies take effect immediately. Changes of the menu take effect when you reload it.")
        : t("Last error that Telegram reported for this site: {{problem}}", { problem }),
  };
}

function unknownState(error: unknown, t: TFunction<"telegram">): Messages {
  return { tone: "bad", word: t("This could not be loaded"), hint: errorReason(error, t) };
}

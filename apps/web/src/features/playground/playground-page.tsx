/** Talk to a model through the gateway, like any application would. */
import { ActionIcon, Button, Drawer, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { useDisclosure, useLocalStorage } from "@mantine/hooks";
import { IconAdjustments, IconEraser, IconMessageCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { sampleModel } from "#ui/code-samples.tsx";
import { Empty, Failed } from "#ui/empty.tsx";
import { useIsNarrow } from "#ui/use-is-phone.ts";
import { modelsQuery, playgroundKeyQuery } from "./api.ts";
import { Composer } from "./composer.tsx";
import { MessageView } from "./message-view.tsx";
import { type PlaygroundSettings, SettingsPanel } from "./settings-panel.tsx";
import { useChat } from "./use-chat.ts";
import classes from "./playground.module.css";

const untouched: PlaygroundSettings = { model: "", temperature: null, maxTokens: null, system: "" };

export default function PlaygroundPage() {
  const { t } = useTranslation();
  const narrow = useIsNarrow();
  const [opened, panel] = useDisclosure();
  const key = useQuery(playgroundKeyQuery);
  const models = useQuery(modelsQuery);
  const names = Object.keys(models.data ?? {}).sort((a, b) => a.localeCompare(b));
  const [stored, store] = useLocalStorage<PlaygroundSettings>({
    key: "playground",
    defaultValue: untouched,
    getInitialValueInEffect: false,
  });
  const settings = {
    ...stored,
    model: names.includes(stored.model) ? stored.model : names.length > 0 ? sampleModel(names) : "",
  };
  const change = (patch: Partial<PlaygroundSettings>) => store({ ...settings, ...patch });
  const chat = useChat(key.data?.key);

  const error = key.error ?? models.error;
  if (error)
    return (
      <Failed
        error={error}
        onRetry={() => {
          void key.refetch();
          void models.refetch();
        }}
      />
    );
  const settingsPanel = <SettingsPanel models={names} value={settings} onChange={change} />;
  return (
    <div className={classes.page}>
      <section className={classes.talk} aria-label={t("Conversation")}>
        <div className={classes.head}>
          <div style={{ minWidth: 0 }}>
            <Title order={1} fz="md">
              {t("Playground")}
            </Title>
            <Text fz="xs" c="dimmed" ff="monospace" truncate>
              {settings.model}
            </Text>
          </div>
          <div className={classes.tools}>
            {chat.messages.length > 0 ? (
              <Tooltip label={t("New conversation")}>
                <ActionIcon size={34} aria-label={t("New conversation")} onClick={chat.clear}>
                  <IconEraser size={18} stroke={1.7} />
                </ActionIcon>
              </Tooltip>
            ) : null}
            {narrow ? (
              <ActionIcon size={34} aria-label={t("Model and settings")} onClick={panel.open}>
                <IconAdjustments size={18} stroke={1.7} />
              </ActionIcon>
            ) : null}
          </div>
        </div>
        <Messages chat={chat} settings={settings} pending={models.isPending} hasModels={names.length > 0} />
        <Composer
          busy={chat.busy}
          disabled={!settings.model || !key.data}
          onSend={(text) => void chat.send(text, settings.system, settings)}
          onStop={chat.stop}
        />
      </section>
      {narrow ? (
        <Drawer opened={opened} onClose={panel.close} position="right" title={t("Model and settings")}>
          {settingsPanel}
        </Drawer>
      ) : (
        <aside className={classes.panel} aria-label={t("Model and settings")}>
          {settingsPanel}
        </aside>
      )}
    </div>
  );
}

type MessagesProps = {
  chat: ReturnType<typeof useChat>;
  settings: PlaygroundSettings;
  pending: boolean;
  hasModels: boolean;
};

function Messages({ chat, settings, pending, hasModels }: MessagesProps) {
  const { t } = useTranslation();
  const list = useRef<HTMLDivElement>(null);
  const { messages } = chat;
  const last = messages.at(-1);

  // Follows the answer while the reader is at the end, and leaves them alone when they scrolled up.
  useEffect(() => {
    const box = list.current;
    if (!box || !last) return;
    const nearEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 160;
    if (nearEnd || last.text === "") box.scrollTop = box.scrollHeight;
  }, [last]);

  if (pending)
    return (
      <div className={classes.messages}>
        <Skeleton height={18} width="60%" />
      </div>
    );
  if (!hasModels)
    return (
      <div className={classes.messages}>
        <Empty
          title={t("No models yet")}
          hint={t("They come with the first channel of your group.")}
          action={
            <Button component={Link} to="/panel/channel" variant="default">
              {t("Open channels")}
            </Button>
          }
        />
      </div>
    );
  return (
    <div className={classes.messages} ref={list} role="log" aria-live="polite" tabIndex={0}>
      {messages.length === 0 ? (
        <Empty
          icon={IconMessageCircle}
          title={t("Say something")}
          hint={t("The call runs through the gateway with your own token, and is billed like any other.")}
        />
      ) : (
        messages.map((message) => (
          <MessageView
            key={message.id}
            message={message}
            onRetry={
              message === last && message.role === "assistant" && !chat.busy
                ? () => void chat.retry(settings.system, settings)
                : undefined
            }
          />
        ))
      )}
    </div>
  );
}

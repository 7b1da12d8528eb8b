/** A conversation: models, messages and the next question. */
import { ActionIcon, Button, Drawer, Group, Indicator, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { type Icon, IconAdjustmentsHorizontal, IconMessages, IconPencilPlus } from "@tabler/icons-react";
import { lazy, useCallback, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { takeDraft } from "#lib/playground-draft.ts";
import { useCan } from "#lib/session.ts";
import { Empty } from "#ui/empty.tsx";
import { LazyBoundary, lazyPart } from "#ui/lazy-part.tsx";
import { toast, OFFER_MS } from "#ui/toast.tsx";
import { useIsNarrow } from "#ui/use-is-phone.ts";
import { ChatList } from "./chat-list.tsx";
import { type Chat, noParameters, type Turn } from "./chat.ts";
import { Composer } from "./composer.tsx";
import { ModelPicker } from "./model-picker.tsx";
import { Suggestions } from "./suggestions.tsx";
import { type Question, useChats } from "./use-chats.ts";
import classes from "./playground.module.css";

/** A new chat has no turns. */
const TurnView = lazy(async () => ({ default: (await import("./turn-view.tsx")).TurnView }));

const ParameterFields = lazyPart(() =>
  import("./parameter-fields.tsx").then((module) => module.ParameterFields),
);

const nothingTyped: Question = { text: "", images: [] };

/** What is typed, and which turn of the conversation it replaces. */
function useInput(initial: Question, { turns }: Chat) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [question, change] = useState(initial);
  /** The edited turn, and what was typed before. */
  const [edit, setEdit] = useState<{ turnId: string; before: Question }>();
  // Another chat, or a later turn, ends it.
  const isEditing = edit !== undefined && turns.at(-1)?.id === edit.turnId;
  const clear = () => {
    change(isEditing ? edit.before : nothingTyped);
    setEdit(undefined);
  };
  return {
    field,
    question,
    change,
    edited: isEditing ? edit.turnId : undefined,
    edit: ({ id, text, images }: Turn) => {
      setEdit({ turnId: id, before: isEditing ? edit.before : question });
      change({ text, images });
      field.current?.focus();
    },
    cancelEdit: isEditing ? clear : undefined,
    clear,
  };
}

/** One toast for all chats deleted in a row. Its button restores them all. */
function useDeletedMessage() {
  const { t } = useTranslation("playground");
  const deleted = useRef<{ chat: Chat; at: number }[]>([]);
  return (chat: Chat, restore: (chat: Chat) => void) => {
    const now = performance.now();
    deleted.current = [...deleted.current.filter(({ at }) => now - at < OFFER_MS), { chat, at: now }];
    const undo = () => {
      for (const each of deleted.current) restore(each.chat);
      deleted.current = [];
      toast.close("chat-deleted");
    };
    toast.offer(
      "chat-deleted",
      <Group gap="sm">
        {t("{{count}} chats deleted", { count: deleted.current.length })}
        <Button size="compact-xs" variant="light" onClick={undo}>
          {t("Undo")}
        </Button>
      </Group>,
    );
  };
}

type ChatViewProps = {
  userId: number;
  /** Models that the user can call. */
  models: string[];
  defaultModel: string;
  /** Model of a link that opens a new chat. */
  wanted: string | undefined;
};

export function ChatView({ userId, models, defaultModel, wanted }: ChatViewProps) {
  const { t } = useTranslation("playground");
  const narrow = useIsNarrow();
  const [draft] = useState(
    () =>
      takeDraft() ??
      (wanted === undefined ? undefined : { model: wanted, system: "", turns: [], send: false }),
  );
  const chats = useChats(userId, defaultModel, draft);
  const { current, running } = chats;
  const question = draft?.turns.at(-1);
  const input = useInput(
    draft?.send === false && question ? { text: question.text, images: question.images } : nothingTyped,
    current,
  );
  const replay = useEffectEvent(() => {
    if (draft?.send && question) chats.send(question);
  });
  useEffect(() => replay(), []);
  const [listOpen, list] = useDisclosure(false);
  const [parametersOpen, parameters] = useDisclosure(false);
  const { box, stick, follow, keep } = useStickyEnd(current);
  const adjusted = JSON.stringify(current.parameters) !== JSON.stringify(noParameters);

  const showDeleted = useDeletedMessage();
  if (models.length === 0) return <NoModels />;

  const remove = (chat: Chat) => {
    chats.remove(chat.id);
    showDeleted(chat, chats.restore);
  };
  const chatList = (
    <ChatList
      chats={chats.all}
      currentId={current.id}
      onOpen={(id) => {
        chats.open(id);
        list.close();
      }}
      onStart={() => {
        chats.start();
        list.close();
      }}
      onRemove={remove}
    />
  );

  return (
    <div className={classes.chat}>
      {narrow ? (
        <Drawer opened={listOpen} onClose={list.close} size={300} title={t("Chats")} padding="md">
          {chatList}
        </Drawer>
      ) : (
        <aside className={classes.side} aria-label={t("Chats")}>
          {chatList}
        </aside>
      )}
      <section className={classes.main} aria-label={t("Conversation")}>
        <div className={classes.bar}>
          {narrow ? <BarButton label={t("Chats")} icon={IconMessages} onClick={list.open} /> : null}
          <ModelPicker
            models={models}
            chosen={current.models}
            onChange={chats.setModels}
            disabled={running}
          />
          <Group gap={4} wrap="nowrap" ml="auto">
            {narrow ? <BarButton label={t("New chat")} icon={IconPencilPlus} onClick={chats.start} /> : null}
            <Tooltip label={t("System prompt and parameters")}>
              <Indicator disabled={!adjusted} size={7} offset={6}>
                <ActionIcon
                  size={34}
                  aria-label={t("System prompt and parameters")}
                  onClick={parameters.open}
                >
                  <IconAdjustmentsHorizontal size={18} stroke={1.7} />
                </ActionIcon>
              </Indicator>
            </Tooltip>
          </Group>
        </div>
        <div
          ref={box}
          className={classes.thread}
          onScroll={follow}
          tabIndex={0}
          role="log"
          aria-label={t("Conversation")}
          aria-busy={running}
        >
          {current.turns.length === 0 ? (
            <Suggestions onChoose={(question) => chats.send({ text: question, images: [] })} />
          ) : (
            <Turns chat={current} onAgain={chats.again} onEdit={input.edit} onDrawn={keep} />
          )}
        </div>
        <Composer
          key={current.id}
          field={input.field}
          question={input.question}
          onChange={input.change}
          onCancelEdit={input.cancelEdit}
          running={running}
          onStop={chats.stop}
          onSend={(question) => {
            stick();
            chats.send(question, input.edited);
            input.clear();
          }}
        />
      </section>
      <Drawer
        opened={parametersOpen}
        onClose={parameters.close}
        position="right"
        size={380}
        title={t("System prompt and parameters")}
      >
        <ParameterFields value={current.parameters} onChange={chats.setParameters} />
      </Drawer>
    </div>
  );
}

type BarButtonProps = { label: string; icon: Icon; onClick: () => void };

function BarButton({ label, icon: Picture, onClick }: BarButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={34} aria-label={label} onClick={onClick}>
        <Picture size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

type TurnsProps = {
  chat: Chat;
  onAgain: (turnId: string, answerId: string) => void;
  onEdit: (turn: Turn) => void;
  onDrawn: () => void;
};

function Turns({ chat: { models, turns }, onAgain, onEdit, onDrawn }: TurnsProps) {
  return (
    <div className={classes.turns} data-wide={models.length > 1 || undefined}>
      <LazyBoundary>
        {turns.map((turn, place) => (
          <TurnView
            key={turn.id}
            turn={turn}
            last={place === turns.length - 1}
            onAgain={(answerId) => onAgain(turn.id, answerId)}
            onEdit={onEdit}
            onDrawn={onDrawn}
          />
        ))}
      </LazyBoundary>
    </div>
  );
}

function NoModels() {
  const { t } = useTranslation("playground");
  const admin = useCan("administer");
  return (
    <Empty
      icon={IconMessages}
      title={t("No models yet")}
      hint={
        admin
          ? t("Add a channel first. The built-in demo provider needs no key.")
          : t("Models appear here when a channel serves your group.")
      }
      action={
        admin ? (
          <Button component={Link} to="/panel/channel">
            {t("Add channel")}
          </Button>
        ) : null
      }
    />
  );
}

const nearPx = 60;

/** Scrolls with the growing answer unless the user has scrolled up. */
function useStickyEnd(chat: Chat) {
  const box = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const chatId = useRef(chat.id);
  const keep = useCallback(() => {
    if (box.current && sticks.current) box.current.scrollTop = box.current.scrollHeight;
  }, []);
  useLayoutEffect(() => {
    if (chatId.current !== chat.id) {
      chatId.current = chat.id;
      sticks.current = true;
    }
    keep();
  }, [chat, keep]);
  const stick = () => {
    sticks.current = true;
  };
  const follow = () => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = box.current ?? {};
    sticks.current = scrollHeight - scrollTop - clientHeight < nearPx;
  };
  return { box, stick, follow, keep };
}

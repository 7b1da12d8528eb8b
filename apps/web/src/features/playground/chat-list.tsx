/** The conversations stored in this browser. */
import { ActionIcon, Button, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconPencilPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "#ui/relative-time.tsx";
import { type Chat, titleOf } from "./chat.ts";
import classes from "./playground.module.css";

type ChatListProps = {
  chats: Chat[];
  currentId: string;
  onOpen: (id: string) => void;
  onStart: () => void;
  onRemove: (chat: Chat) => void;
};

export function ChatList({ chats, currentId, onOpen, onStart, onRemove }: ChatListProps) {
  const { t } = useTranslation("playground");
  const startedChats = chats.filter((chat) => chat.turns.length > 0);
  return (
    <>
      <Button
        fullWidth
        variant="default"
        leftSection={<IconPencilPlus size={16} stroke={1.7} />}
        onClick={onStart}
      >
        {t("New chat")}
      </Button>
      <div className={classes.chats}>
        {startedChats.length === 0 ? (
          <Text c="dimmed" fz="sm" ta="center" py="lg" px="xs">
            {t("Your chats are stored in this browser only.")}
          </Text>
        ) : (
          <ul className={classes.chatItems}>
            {startedChats.map((chat) => {
              const title = titleOf(chat) || t("Image");
              return (
                <li
                  key={chat.id}
                  className={classes.chatItem}
                  data-current={chat.id === currentId || undefined}
                >
                  <UnstyledButton
                    className={classes.chatOpen}
                    aria-current={chat.id === currentId ? "true" : undefined}
                    onClick={() => onOpen(chat.id)}
                  >
                    <Text fz="sm" truncate component="span" display="block">
                      {title}
                    </Text>
                    <Text fz="xs" c="dimmed" component="span" display="block">
                      <RelativeTime inList seconds={chat.updated} />
                    </Text>
                  </UnstyledButton>
                  <Tooltip label={t("Delete")}>
                    <ActionIcon
                      className={classes.chatDelete ?? ""}
                      size={26}
                      aria-label={t("Delete {{name}}", { name: title })}
                      onClick={() => onRemove(chat)}
                    >
                      <IconTrash size={14} stroke={1.7} />
                    </ActionIcon>
                  </Tooltip>
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </>
  );
}

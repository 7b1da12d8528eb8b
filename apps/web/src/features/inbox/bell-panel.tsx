/** The popover below the bell: the latest notifications. */
import { ActionIcon, Button, Center, Group, Loader, Popover, Text, UnstyledButton } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconBellOff, IconChevronRight } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { loadScreenMessages } from "#lib/screen-messages.ts";
import { Empty, Failed } from "#ui/empty.tsx";
import { inboxQuery, useMarkAllRead } from "./api.ts";
import { EntryList } from "./entry-list.tsx";
import { stateQuery } from "./state.ts";
import { useFreshList } from "./use-fresh-list.ts";
import classes from "./inbox.module.css";

type BellPanelProps = { label: string; face: ReactNode };

const SHOWN = 8;

export function BellPanel({ label, face }: BellPanelProps) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState(true);
  const [speaks, setSpeaks] = useState(false);
  useEffect(() => {
    // Without a connection its messages stay in English.
    void loadScreenMessages("inbox")
      .catch(() => undefined)
      .finally(() => setSpeaks(true));
  }, []);
  const close = () => setOpened(false);
  // Works also when the focused button no longer exists.
  useHotkeys([["Escape", close]], []);
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-end"
      width="min(420px, calc(100vw - 20px))"
      shadow="md"
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <ActionIcon size={36} aria-label={label} title={label} onClick={() => setOpened((is) => !is)}>
          {face}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p={0} className={classes.panel ?? ""}>
        {speaks ? (
          <>
            <Latest onLeave={close} />
            <UnstyledButton component={Link} to="/panel/inbox" className={classes.foot} onClick={close}>
              <Text span fz="sm" fw={500} flex={1}>
                {t("All notifications")}
              </Text>
              <IconChevronRight size={15} aria-hidden />
            </UnstyledButton>
          </>
        ) : (
          <Waiting />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Latest({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation();
  const inbox = useInfiniteQuery(inboxQuery({ unread: 0, kind: "" }, SHOWN));
  useFreshList();
  const state = useQuery(stateQuery).data;
  const markAll = useMarkAllRead();
  const rows = inbox.data?.pages[0]?.data;
  return (
    <>
      <Group justify="space-between" wrap="nowrap" className={classes.panelHead ?? ""}>
        <Text fw={600}>{t("Notifications")}</Text>
        {state && state.unread > 0 ? (
          <Button
            variant="subtle"
            size="compact-sm"
            loading={markAll.isPending}
            onClick={() => markAll.mutate(state.newest)}
          >
            {t("Mark all as read")}
          </Button>
        ) : null}
      </Group>
      <div className={classes.panelList}>
        {inbox.error && !rows ? (
          <Failed error={inbox.error} onRetry={() => void inbox.refetch()} />
        ) : !rows ? (
          <Waiting />
        ) : rows.length === 0 ? (
          <Empty icon={IconBellOff} title={t("No notifications yet")} compact />
        ) : (
          <EntryList rows={rows} onLeave={onLeave} compact />
        )}
      </div>
    </>
  );
}

function Waiting() {
  const { t } = useTranslation();
  return (
    <Center h={140}>
      <Loader size="sm" aria-label={t("Loading")} />
    </Center>
  );
}

/** The content of the bell's popover: the latest notifications. */
import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconBellOff, IconChevronRight } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { inboxQuery, useMarkAllRead } from "./api.ts";
import { EntryList } from "./entry-list.tsx";
import { stateQuery } from "./state.ts";
import { useFreshList } from "./use-fresh-list.ts";
import classes from "./inbox.module.css";

const SHOWN = 8;

type LatestEntriesProps = {
  /** Called when a link of the list is followed. */
  onLeave: () => void;
  waiting: ReactNode;
};

export function LatestEntries({ onLeave, waiting }: LatestEntriesProps) {
  const { t } = useTranslation("inbox");
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
        {!rows ? (
          <QueryFallback query={inbox}>{waiting}</QueryFallback>
        ) : rows.length === 0 ? (
          <Empty icon={IconBellOff} title={t("No notifications yet")} compact />
        ) : (
          <EntryList rows={rows} onLeave={onLeave} compact />
        )}
      </div>
      <UnstyledButton component={Link} to="/panel/inbox" className={classes.foot} onClick={onLeave}>
        <Text span fz="sm" fw={500} flex={1}>
          {t("All notifications")}
        </Text>
        <IconChevronRight size={15} aria-hidden />
      </UnstyledButton>
    </>
  );
}

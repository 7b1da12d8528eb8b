/** Notifications, newest first. A row links to its subject; a click marks it as read. */
import type { InboxKind, InboxRow } from "@gateway/shared/site/inbox";
import { ActionIcon, Text, Tooltip, VisuallyHidden } from "@mantine/core";
import {
  IconArrowsExchange,
  IconCheck,
  type Icon,
  IconReceipt2,
  IconRoute,
  IconServer,
  IconShieldLock,
  IconWallet,
} from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useErrorTexts } from "#lib/errors/late-errors.ts";
import { useFormat } from "#lib/format/quota.ts";
import { hasErrorCode } from "#lib/labels/reasons.ts";
import { RelativeTime } from "#ui/relative-time.tsx";
import { rememberRow } from "#ui/table/current-row.ts";
import { useMarkRead } from "./api.ts";
import { entryText, kindTitles } from "./entry-texts.ts";
import classes from "./inbox.module.css";

const pictures: Record<InboxKind, Icon> = {
  channels: IconRoute,
  calls: IconArrowsExchange,
  billing: IconWallet,
  prices: IconReceipt2,
  security: IconShieldLock,
  system: IconServer,
};

type EntryListProps = { rows: InboxRow[]; compact?: boolean; onLeave?: () => void };

export function EntryList({ rows, compact = false, onLeave }: EntryListProps) {
  const { t } = useTranslation("inbox");
  useErrorTexts(rows.some((row) => hasErrorCode(row.reason_facts)));
  return (
    <ul
      className={classes.list}
      aria-label={t("Notifications")}
      data-compact={compact || undefined}
      data-list={compact ? undefined : true}
      onFocus={(event) => rememberRow(event.target)}
    >
      {rows.map((row) => (
        <Entry key={row.id} row={row} onLeave={onLeave} />
      ))}
    </ul>
  );
}

function Entry({ row, onLeave }: { row: InboxRow; onLeave: (() => void) | undefined }) {
  const { t } = useTranslation("inbox");
  const format = useFormat();
  const { mutate: markRead, isPending } = useMarkRead();
  const { title, text, to } = entryText(t, row, format);
  const Picture = pictures[row.kind];
  const follow = () => {
    if (!row.read) markRead(row.id);
    onLeave?.();
  };
  return (
    <li data-unread={!row.read || undefined} data-row={row.id} tabIndex={-1}>
      <span className={classes.picture} title={t(kindTitles[row.kind])}>
        <Picture size={17} stroke={1.7} aria-hidden />
      </span>
      <div className={classes.body}>
        <div className={classes.title}>
          {row.read ? null : <VisuallyHidden>{t("Unread:")} </VisuallyHidden>}
          <Link to={to} className={classes.link} onClick={follow}>
            {title}
          </Link>
          {row.count > 1 && row.event !== "calls-refused" ? (
            <Text span fz="xs" fw={600} c="dimmed" ml={8}>
              ×{format.whole(row.count)}
            </Text>
          ) : null}
        </div>
        {text === "" ? null : (
          <Text fz="xs" c="dimmed" className={classes.text ?? ""} title={text}>
            {text}
          </Text>
        )}
        <Text fz="xs" c="dimmed" className={classes.time ?? ""}>
          <RelativeTime inList seconds={row.last_time} />
        </Text>
      </div>
      {row.read ? (
        <span className={classes.done} />
      ) : (
        <Tooltip label={t("Mark as read")}>
          <ActionIcon
            size={28}
            aria-label={t("Mark as read: {{title}}", { title })}
            loading={isPending}
            onClick={() => markRead(row.id)}
          >
            <IconCheck size={16} stroke={1.8} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  );
}

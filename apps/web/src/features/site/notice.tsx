/** The announcement: opens by itself when it is new, and on request. */
import { ActionIcon } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { keep, kept } from "#lib/stored.ts";
import { Hint } from "#ui/form/hint.tsx";
import { noticeQuery } from "./api.ts";
import classes from "./notice.module.css";

const NoticeDialog = lazy(() =>
  import("./notice-dialog.tsx").then((module) => ({ default: module.NoticeDialog })),
);
const storageKey = "notice";

export function NoticeButton() {
  const { t } = useTranslation();
  const [seen] = useState(() => kept(storageKey));
  const [choice, setOpened] = useState<boolean | null>(null);
  const notice = useQuery(noticeQuery).data;

  const opened = choice ?? (Boolean(notice) && notice !== seen);

  useEffect(() => {
    if (notice) keep(storageKey, notice);
  }, [notice]);

  return (
    <>
      <Hint label={t("Notice")}>
        <ActionIcon size={36} aria-label={t("Notice")} onClick={() => setOpened(true)}>
          <IconBell size={19} stroke={1.7} />
          {notice ? <span className={classes.dot} /> : null}
        </ActionIcon>
      </Hint>
      {opened ? (
        <Suspense fallback={null}>
          <NoticeDialog notice={notice ?? seen ?? ""} onClose={() => setOpened(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

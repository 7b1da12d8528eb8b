/** The announcement: opens by itself when it is new, and on request. */
import { ActionIcon, Indicator, Modal, Text, Tooltip } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { noticeQuery } from "./api.ts";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));
const storageKey = "notice";

export function NoticeButton() {
  const { t } = useTranslation();
  const [seen] = useState(() => localStorage.getItem(storageKey));
  const [choice, setOpened] = useState<boolean | null>(null);
  const notice = useQuery(noticeQuery).data;

  const opened = choice ?? (Boolean(notice) && notice !== seen);

  useEffect(() => {
    if (notice) localStorage.setItem(storageKey, notice);
  }, [notice]);

  return (
    <>
      <Tooltip label={t("Notice")}>
        <Indicator disabled={!notice} size={7} offset={8} color="iris.5">
          <ActionIcon size={36} aria-label={t("Notice")} onClick={() => setOpened(true)}>
            <IconBell size={19} stroke={1.7} />
          </ActionIcon>
        </Indicator>
      </Tooltip>
      <Modal opened={opened} onClose={() => setOpened(false)} title={t("Notice")} size="lg">
        {notice ? (
          <Suspense fallback={null}>
            <RichText text={notice} />
          </Suspense>
        ) : (
          <Text c="dimmed">{t("There is no notice right now.")}</Text>
        )}
      </Modal>
    </>
  );
}

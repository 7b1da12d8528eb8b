/** The announcement button of the header. */
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconSpeakerphone } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useAnnouncement } from "#components/announcement.tsx";
import classes from "./notice.module.css";

export function NoticeButton() {
  const { t } = useTranslation();
  const { unseen, open, dialog } = useAnnouncement();
  return (
    <>
      <Tooltip label={t("Notice")}>
        <ActionIcon size={36} aria-label={t("Notice")} onClick={open}>
          <IconSpeakerphone size={19} stroke={1.7} />
          {unseen ? <span className={classes.dot} /> : null}
        </ActionIcon>
      </Tooltip>
      {dialog}
    </>
  );
}

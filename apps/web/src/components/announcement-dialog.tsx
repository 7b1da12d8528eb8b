import { Modal, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { RichText } from "#ui/rich-text.tsx";

export function AnnouncementDialog({ notice, onClose }: { notice: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal opened onClose={onClose} title={t("Notice")} size="lg">
      {notice ? <RichText text={notice} /> : <Text c="dimmed">{t("There are no notices.")}</Text>}
    </Modal>
  );
}

import { ActionIcon, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

type RefreshButtonProps = {
  loading?: boolean;
  onClick: () => void;
  /** In a row of buttons with a frame. */
  framed?: boolean;
};

/** Loads a list or a page again. */
export function RefreshButton({ loading = false, onClick, framed = false }: RefreshButtonProps) {
  const { t } = useTranslation();
  return (
    <Tooltip label={t("Refresh")}>
      <ActionIcon
        {...(framed ? { size: 36, variant: "default" } : { size: 34 })}
        aria-label={t("Refresh")}
        loading={loading}
        onClick={onClick}
      >
        <IconRefresh size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

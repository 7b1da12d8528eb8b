import { ActionIcon, Tooltip } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";

type RefreshButtonProps = {
  onRefresh: () => Promise<unknown>;
  /** In a row of buttons with a frame. */
  framed?: boolean;
};

/** Loads a list or a page again. */
export function RefreshButton({ onRefresh, framed = false }: RefreshButtonProps) {
  const { t } = useTranslation();
  const [isLoading, setLoading] = useState(false);
  const refresh = async () => {
    setLoading(true);
    await onRefresh().finally(() => setLoading(false));
  };
  return (
    <Tooltip label={t("Refresh")}>
      <ActionIcon
        {...(framed ? { size: 36, variant: "default" } : { size: 34 })}
        aria-label={t("Refresh")}
        loading={isLoading}
        onClick={() => void refresh()}
      >
        <IconRefresh size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

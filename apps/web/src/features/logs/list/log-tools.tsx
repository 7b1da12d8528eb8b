import { Button, Tooltip } from "@mantine/core";
import { IconDownload, IconPlayerPause, IconPlayerPlay, IconShare } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { LogScope } from "#features/logs/api.ts";
import type { LogFilter } from "#features/logs/filters/log-filter.ts";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { toast } from "#ui/toast.tsx";
import { exportLogs, mostRows } from "./log-export.ts";

const SharesDrawer = lazyPart(() =>
  import("#features/logs/share/shares-drawer.tsx").then((module) => module.SharesDrawer),
);

type LogToolsProps = {
  scope: LogScope;
  filter: LogFilter;
  live: boolean;
  onLive: (live: boolean) => void;
  onRefresh: () => Promise<unknown>;
};

export function LogTools({ scope, filter, live, onLive, onRefresh }: LogToolsProps) {
  const { t } = useTranslation("logs");
  const shares = useDrawerParam("shares");
  const exporting = useMutation({
    mutationFn: () => exportLogs(scope, filter),
    onSuccess: ({ count, complete }) =>
      complete
        ? toast.success(t("{{count}} rows exported", { count }))
        : toast.warning(t("Only the newest {{count}} rows were exported", { count: mostRows })),
  });
  return (
    <>
      <Tooltip
        label={live ? t("Stop refreshing automatically") : t("Refresh automatically every few seconds")}
      >
        <Button
          variant={live ? "light" : "default"}
          aria-pressed={live}
          leftSection={live ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => onLive(!live)}
        >
          {t("Live")}
        </Button>
      </Tooltip>
      <Tooltip label={t("Links to calls that you have shared")}>
        <Button variant="default" leftSection={<IconShare size={16} />} onClick={() => shares.open("open")}>
          {t("Shared links")}
        </Button>
      </Tooltip>
      {shares.key === "" ? null : <SharesDrawer onClose={shares.close} />}
      <Tooltip label={t("Export as CSV")}>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={exporting.isPending}
          onClick={() => exporting.mutate()}
        >
          {t("Export")}
        </Button>
      </Tooltip>
      <RefreshButton framed onRefresh={onRefresh} />
    </>
  );
}

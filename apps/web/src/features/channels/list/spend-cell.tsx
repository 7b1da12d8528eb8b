import type { ChannelRow } from "@gateway/shared/channels/channel";
import { Box, Loader, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { useProvider } from "#features/channels/api.ts";
import { useRefreshBalance } from "#features/channels/runs/runs.ts";
import { useMayChange } from "#lib/changes.ts";
import { formatMoney } from "#lib/format/money.ts";
import { formatTime } from "#lib/format/quota.ts";
import { toast } from "#ui/toast.tsx";

/** The channel's usage and its balance at the provider. A click on the balance fetches it again. */
export function SpendCell({ row, column }: { row: ChannelRow; column: string }) {
  const tells = useProvider(row.type)?.tells_balance === true;
  return (
    <Box component="span" display="inline-block">
      <Amount column={column} points={row.used_quota} />
      {tells ? <Balance row={row} /> : null}
    </Box>
  );
}

function Balance({ row }: { row: ChannelRow }) {
  const { t } = useTranslation("channels");
  const mayChange = useMayChange();
  const refresh = useRefreshBalance();
  const hasBalance = row.balance_updated_time !== null;
  const amount = formatMoney(row.balance, row.balance_currency);
  const ask = () =>
    refresh.mutate(row.id, {
      onSuccess: (left) => {
        if (left === null) toast.info(t("This provider does not report the balance."));
      },
    });
  const text = hasBalance ? t("{{amount}} left", { amount }) : mayChange ? t("Refresh balance") : "–";
  const balanceText = (
    <Text c={hasBalance && row.balance <= 0 ? "red" : "dimmed"} fz="xs">
      {text}
    </Text>
  );
  if (!mayChange) return balanceText;
  return (
    <Tooltip
      label={
        row.balance_updated_time === null
          ? t("Refresh balance")
          : t("As of {{time}}. Click to refresh.", { time: formatTime(row.balance_updated_time) })
      }
    >
      <UnstyledButton
        display="block"
        ml="auto"
        disabled={refresh.isPending}
        aria-label={`${text} · ${row.name}`}
        onClick={ask}
      >
        {refresh.isPending ? <Loader size={11} /> : balanceText}
      </UnstyledButton>
    </Tooltip>
  );
}

import { Button, Group, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import { StatFrame } from "./stat-frame.tsx";
import { type DaySum, daysLeft } from "./usage.ts";
import classes from "./dashboard.module.css";

/** Number of days left from which the card suggests a top-up. */
const soonDays = 3;
const manyDays = 365;

/**
 * The balance and how long it lasts.
 * @param days undefined while loading
 */
export function BalanceCard({ days }: { days: DaySum[] | undefined }) {
  const { t } = useTranslation("dashboard");
  const format = useFormat();
  const self = useSelf();
  if (!self) return null;
  const left = days ? daysLeft(self.quota, days) : null;
  const empty = self.quota <= 0;
  return (
    <StatFrame
      title={
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
          <Text fz="sm" c="dimmed">
            {t("Balance")}
          </Text>
          <Button component={Link} to="/panel/topup" size="compact-xs" variant={empty ? "filled" : "default"}>
            {t("Top up")}
          </Button>
        </Group>
      }
      figure={
        <Text className={classes.value} data-empty={empty || undefined} title={format.points(self.quota)}>
          {format.usd(self.quota)}
        </Text>
      }
      note={
        days === undefined ? (
          <Skeleton height={12} width={110} my={3} />
        ) : (
          <Text fz="xs" fw={left !== null && left < soonDays ? 600 : undefined} c="dimmed">
            {empty
              ? t("Calls are refused until you top up.")
              : left === null
                ? t("No spending this week")
                : left > manyDays
                  ? t("Enough for more than a year at the current rate")
                  : t("About {{count}} days left at the current rate", { count: Math.floor(left) })}
          </Text>
        )
      }
    />
  );
}

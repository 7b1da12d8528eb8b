import type { Figure } from "@gateway/shared/usage/figures";
import { Group, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { FigureDefinition } from "#components/usage/figure-definition.tsx";
import { Sparkline } from "#ui/charts/sparkline.tsx";
import { About } from "#ui/figures/about.tsx";
import { Trend } from "#ui/figures/trend.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { StatFrame } from "./stat-frame.tsx";
import classes from "./dashboard.module.css";

type StatCardProps = {
  title: string;
  figure: Figure;
  /** Undefined while loading. */
  value: number | undefined;
  print: (value: number) => string;
  /** Returns the exact value for the tooltip. */
  exact?: (value: number) => string;
  /** Change against yesterday until the same time, as a share. */
  change: number | null;
  trend: number[];
  color: string;
};

/** Today's figure, its change, and the last seven days as a line. */
export function StatCard({ title, figure, value, print, exact, change, trend, color }: StatCardProps) {
  const phone = useIsPhone();
  return (
    <StatFrame
      title={
        <Text fz="sm" c="dimmed">
          <About title={title}>
            <FigureDefinition figure={figure} period="days" compared="yesterday" />
          </About>
        </Text>
      }
      figure={
        <Group justify="space-between" align="center" wrap="nowrap" gap="xs">
          {value === undefined ? (
            <Skeleton height={26} width={90} />
          ) : (
            <Text className={classes.value} title={exact?.(value)}>
              {print(value)}
            </Text>
          )}
          {phone || value === undefined ? null : <Sparkline values={trend} color={color} width={64} />}
        </Group>
      }
      note={value === undefined ? <Skeleton height={12} width={110} my={3} /> : <Change share={change} />}
    />
  );
}

function Change({ share }: { share: number | null }) {
  const { t } = useTranslation("dashboard");
  return (
    <Text fz="xs" c="dimmed">
      {share === null ? (
        t("No data for yesterday")
      ) : (
        <Trend
          share={share}
          label={(percent) => t("{{share}} vs. yesterday at this time", { share: percent })}
        />
      )}
    </Text>
  );
}

/** Bars per day, stacked by name. The chart library comes with this file only: load it lazily. */
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { othersColor, seriesColor } from "./chart-colors.ts";
import { othersKey, type Stacks } from "./stacks.ts";
import classes from "./stacked-bars.module.css";

type StackedBarsProps = Stacks & {
  /** A value as the axis shows it. */
  tick: (value: number) => string;
  /** A value as the table under the pointer shows it. */
  print: (value: number) => string;
  /** Pixels for the axis; what its longest tick needs. */
  axisWidth?: number;
  height?: number;
  /** Names that are not people's or vendors' own: translated, not in mono. */
  nameOf?: (name: string) => string;
  /** Fixed colours instead of those by name. */
  colors?: Record<string, string>;
};

/** "03-01" of "2026-03-01". */
function shortDate(date: string): string {
  return date.slice(5);
}

export function StackedBars(props: StackedBarsProps) {
  const { series, rows, tick, print, axisWidth = 64, height = 260, nameOf, colors } = props;
  const { t } = useTranslation();
  const colorOf = (name: string) =>
    name === othersKey ? othersColor : (colors?.[name] ?? seriesColor(name));
  const label = (name: string) => (name === othersKey ? t("Others") : (nameOf?.(name) ?? name));
  const showBar = ({ payload, label: date }: HoveredBar) => {
    const lines = (payload ?? [])
      .map((line) => ({ name: String(line.dataKey), value: Number(line.value ?? 0) }))
      .filter((line) => line.value > 0)
      .reverse();
    const total = lines.reduce((sum, line) => sum + line.value, 0);
    return (
      <div className={classes.tooltip}>
        <table>
          <thead>
            <tr>
              <th>{String(date)}</th>
              <th>{print(total)}</th>
            </tr>
          </thead>
          <tbody>
            {lines.map((line) => (
              <tr key={line.name}>
                <td>
                  <span className={classes.swatch} style={{ background: colorOf(line.name) }} />{" "}
                  {label(line.name)}
                </td>
                <td>{print(line.value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  };
  return (
    <>
      <BarChart
        h={height}
        data={rows}
        dataKey="date"
        type="stacked"
        series={series.map((name) => ({ name, label: label(name), color: colorOf(name) }))}
        maxBarWidth={44}
        gridAxis="x"
        className={classes.chart}
        tickLine="none"
        strokeDasharray="0"
        barProps={{ isAnimationActive: false }}
        // Half a line, so that the highest tick stands at its grid line.
        barChartProps={{ margin: { top: 9 } }}
        xAxisProps={{ tickFormatter: shortDate, tickMargin: 8, interval: "equidistantPreserveStart" }}
        yAxisProps={{ tickFormatter: tick, width: axisWidth }}
        tooltipProps={{ content: showBar }}
      />
      <Group gap="6px 16px" mt="md">
        {series.map((name) => (
          <Group key={name} gap={6} wrap="nowrap" miw={0}>
            <span className={classes.swatch} style={{ background: colorOf(name) }} />
            <Text fz="xs" c="dimmed" truncate ff={name === othersKey || nameOf ? undefined : "monospace"}>
              {label(name)}
            </Text>
          </Group>
        ))}
      </Group>
    </>
  );
}

type HoveredBar = { payload?: readonly { dataKey?: unknown; value?: unknown }[]; label?: unknown };

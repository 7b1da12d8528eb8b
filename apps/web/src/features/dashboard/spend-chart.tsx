/** Spend per day, stacked by model. The chart library comes with this file only. */
import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { othersColor, seriesColor } from "#ui/chart-colors.ts";
import { othersKey, type Stacks, tickDigits } from "./usage.ts";
import classes from "./dashboard.module.css";

function colorOf(series: string): string {
  return series === othersKey ? othersColor : seriesColor(series);
}

/** "03-01" of "2026-03-01". */
function shortDate(date: string): string {
  return date.slice(5);
}

export function SpendChart({ series, rows }: Stacks) {
  const { t } = useTranslation();
  const format = useFormat();
  // One number of digits for the whole axis.
  const top = Math.max(...rows.map((row) => series.reduce((sum, name) => sum + Number(row[name] ?? 0), 0)));
  const digits = tickDigits(top / format.pointsPerUsd);
  const nameOf = (name: string) => (name === othersKey ? t("Others") : name);
  return (
    <>
      <BarChart
        h={260}
        data={rows}
        dataKey="date"
        type="stacked"
        series={series.map((name) => ({ name, label: nameOf(name), color: colorOf(name) }))}
        maxBarWidth={44}
        gridAxis="x"
        className={classes.chart}
        tickLine="none"
        strokeDasharray="0"
        barProps={{ isAnimationActive: false }}
        // Half a line, so that the highest tick stands at its grid line.
        barChartProps={{ margin: { top: 9 } }}
        xAxisProps={{ tickFormatter: shortDate, tickMargin: 8 }}
        yAxisProps={{
          tickFormatter: (value: number) => format.quota(value, digits),
          width: digits > 2 ? 82 : 64,
        }}
        tooltipProps={{ content: showBar }}
      />
      <Group gap="6px 16px" mt="md">
        {series.map((name) => (
          <Group key={name} gap={6} wrap="nowrap">
            <span className={classes.swatch} style={{ background: colorOf(name) }} />
            <Text fz="xs" c="dimmed" ff={name === othersKey ? undefined : "monospace"}>
              {nameOf(name)}
            </Text>
          </Group>
        ))}
      </Group>
    </>
  );
}

/** What a bar holds, as a table. */
function SpendTable({ date, lines }: { date: string; lines: { name: string; points: number }[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const paid = lines.filter((line) => line.points > 0).reverse();
  const total = paid.reduce((sum, line) => sum + line.points, 0);
  return (
    <div className={classes.tooltip}>
      <table>
        <thead>
          <tr>
            <th>{date}</th>
            <th>{format.spend(total)}</th>
          </tr>
        </thead>
        <tbody>
          {paid.map((line) => (
            <tr key={line.name}>
              <td>
                <span className={classes.swatch} style={{ background: colorOf(line.name) }} />{" "}
                {line.name === othersKey ? t("Others") : line.name}
              </td>
              <td>{format.spend(line.points)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type HoveredBar = { payload?: readonly { dataKey?: unknown; value?: unknown }[]; label?: unknown };

function showBar({ payload, label }: HoveredBar) {
  const lines = (payload ?? []).map((line) => ({
    name: String(line.dataKey),
    points: Number(line.value ?? 0),
  }));
  return <SpendTable date={String(label)} lines={lines} />;
}

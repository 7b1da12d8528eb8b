/** Stacked bars per day. The pointer, a touch or the arrow keys show the values of a day. */
import { Group, Text } from "@mantine/core";
import { type KeyboardEvent, type PointerEvent, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { axisTicks, barPaths, dayAt, labelEvery, middleOf } from "./bar-plot.ts";
import { othersColor, seriesColors } from "./chart-colors.ts";
import { othersKey, type Stacks, topOf } from "./stacks.ts";
import classes from "./stacked-bars.module.css";

type StackedBarsProps = Stacks & {
  /** Description of the chart, for screen readers. */
  title: string;
  /** Formats a value for the axis. */
  tick: (value: number) => string;
  /** Formats a value for the tooltip. */
  print: (value: number) => string;
  /** Width of the axis in pixels, for its longest tick. */
  axisWidth?: number;
  height?: number;
  /**
   * Translates series names. For names that are not user or provider data; they are not shown in monospace.
   */
  nameOf?: (name: string) => string;
  /** Fixed colours by name, in place of the palette. */
  colors?: Record<string, string>;
  /** Formats a row's `date` for the axis. Default: month and day. */
  dayText?: (date: string) => string;
};

/** Half a line, so that the label of the highest tick is centred on its grid line. */
const topSpace = 9;
const dateSpace = 30;
const dateWidth = 48;
const tickGap = 10;
/** Width of a digit of 12 px. */
const tickCharacter = 7.5;

/** Returns "03-01" for "2026-03-01". */
function shortDate(date: string): string {
  return date.slice(5);
}

export function StackedBars(props: StackedBarsProps) {
  const { series, rows, title, tick, print, height = 260, nameOf, colors } = props;
  const { dayText = shortDate } = props;
  const { t } = useTranslation();
  const [ref, wholeWidth] = useWidth();
  const [chosen, setChosen] = useState<number | null>(null);
  const days = rows.length;
  const plotHeight = height - topSpace - dateSpace;
  const ticks = axisTicks(topOf({ series, rows }));
  const longest = Math.max(...ticks.map((value) => tick(value).length));
  const axisWidth = Math.max(props.axisWidth ?? 64, longest * tickCharacter + tickGap);
  const width = Math.max(0, wholeWidth - axisWidth);
  const highest = ticks.at(-1) ?? 1;
  const every = labelEvery(days, width, dateWidth);

  const palette = seriesColors(series.filter((name) => name !== othersKey && colors?.[name] === undefined));
  const colorOf = (name: string) => colors?.[name] ?? palette.get(name) ?? othersColor;
  const label = (name: string) => (name === othersKey ? t("Others") : (nameOf?.(name) ?? name));
  const linesOf = (day: number) =>
    series
      .map((name) => ({ name, value: Number(rows[day]?.[name] ?? 0) }))
      .filter((line) => line.value > 0)
      .reverse();
  const totalOf = (day: number) => print(linesOf(day).reduce((sum, line) => sum + line.value, 0));

  // The period may become shorter while a day is selected.
  const shown = chosen !== null && chosen < days ? chosen : null;
  const read = shown ?? days - 1;
  const spoken = [
    `${rows[read]?.date ?? ""}: ${totalOf(read)}`,
    ...linesOf(read).map((line) => `${label(line.name)} ${print(line.value)}`),
  ].join(", ");

  const follow = (event: PointerEvent<HTMLDivElement>) => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left - axisWidth;
    if (width > 0) setChosen(dayAt(x, days, width));
  };
  const step = (event: KeyboardEvent) => {
    const next = dayByKey(event.key, read, days);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  };
  return (
    <>
      <div
        ref={ref}
        className={classes.chart}
        style={{ height }}
        data-chart
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={days}
        aria-valuenow={read + 1}
        aria-valuetext={spoken}
        onPointerDown={follow}
        onPointerMove={follow}
        // A touch ends with pointerleave right after the tap; the day stays selected.
        onPointerLeave={(event) => event.pointerType === "mouse" && setChosen(null)}
        onFocus={(event) => event.currentTarget.matches(":focus-visible") && setChosen(days - 1)}
        onBlur={() => setChosen(null)}
        onKeyDown={step}
      >
        <svg width={wholeWidth} height={height} aria-hidden>
          {ticks.map((value) => {
            const y = topSpace + plotHeight * (1 - value / highest);
            return (
              <g key={value}>
                <line className={classes.grid} x1={axisWidth} x2={axisWidth + width} y1={y} y2={y} />
                <text className="tabular" x={axisWidth - tickGap} y={y} dy="0.355em" textAnchor="end">
                  {tick(value)}
                </text>
              </g>
            );
          })}
          {width > 0 ? (
            <g transform={`translate(${axisWidth} ${topSpace})`}>
              {shown === null ? null : (
                <rect
                  className={classes.cursor}
                  x={(shown * width) / days}
                  width={width / days}
                  height={plotHeight}
                />
              )}
              {barPaths({ series, rows }, highest, { width, height: plotHeight }).map((path, index) => (
                <path key={series[index]} d={path} fill={colorOf(series[index] ?? "")} />
              ))}
              {rows.map((row, day) =>
                day % every === 0 ? (
                  <text key={row.date} x={middleOf(day, days, width)} y={plotHeight + 22} textAnchor="middle">
                    {dayText(row.date)}
                  </text>
                ) : null,
              )}
            </g>
          ) : null}
        </svg>
        {shown === null ? null : (
          <div
            className={classes.tooltip}
            style={besideDay(axisWidth + middleOf(shown, days, width), wholeWidth)}
          >
            <table>
              <thead>
                <tr>
                  <th>{rows[shown]?.date}</th>
                  <th>{totalOf(shown)}</th>
                </tr>
              </thead>
              <tbody>
                {linesOf(shown).map((line) => (
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
        )}
      </div>
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

/** Returns the width of an element, which is known before the element is painted. */
function useWidth() {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: HTMLElement | null) => {
    if (element === null) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width] as const;
}

/** Returns the day to select, null to deselect; undefined for an unhandled key. */
function dayByKey(key: string, day: number, days: number): number | null | undefined {
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, day - 1);
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(days - 1, day + 1);
  if (key === "Home") return 0;
  if (key === "End") return days - 1;
  return key === "Escape" ? null : undefined;
}

/** Places the tooltip on the side with more room, and inside the chart. */
function besideDay(x: number, width: number) {
  const gap = 14;
  return x > width / 2
    ? { right: width - x + gap, maxWidth: x - gap }
    : { left: x + gap, maxWidth: width - x - gap };
}

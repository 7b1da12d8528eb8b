/** Stacked bars per day. The pointer, a touch or the arrow keys show the values of a day; dragging selects several days. */
import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { axisTicks, barPaths, type Box, labelEvery, linePath, middleOf } from "./bar-plot.ts";
import { othersColor, seriesColors } from "./chart-colors.ts";
import { ChartLegend } from "./chart-legend.tsx";
import { ChartTooltip } from "./chart-tooltip.tsx";
import { othersKey, type Stacks, topOf } from "./stacks.ts";
import { type SelectedDays, useDayChoice } from "./use-day-choice.ts";
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
  /** The sums of the previous period by day, drawn as a thin line. */
  line?: { name: string; values: readonly number[] } | undefined;
  /** What happened on a day, such as a changed price. */
  marks?: readonly ChartMark[] | undefined;
  /** Called with the days that were clicked or dragged over. */
  onRange?: ((range: SelectedDays) => void) | undefined;
};

export type ChartMark = { day: number; text: string };

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
  const { series, rows, title, tick, print, height = 260, nameOf, colors, line, marks = [], onRange } = props;
  const { dayText = shortDate } = props;
  const { t } = useTranslation();
  const [ref, wholeWidth] = useWidth();
  const [pointed, setPointed] = useState<string | null>(null);
  const [kept, setKept] = useState<string | null>(null);
  const days = rows.length;
  const plotHeight = height - topSpace - dateSpace;
  const ticks = axisTicks(Math.max(topOf({ series, rows }), ...(line?.values ?? [])));
  const longest = Math.max(...ticks.map((value) => tick(value).length));
  const axisWidth = Math.max(props.axisWidth ?? 64, longest * tickCharacter + tickGap);
  const width = Math.max(0, wholeWidth - axisWidth);
  const highest = ticks.at(-1) ?? 1;
  const { shown, read, brush, handlers } = useDayChoice({ days, axisWidth, width }, onRange);

  const palette = seriesColors(series.filter((name) => name !== othersKey && colors?.[name] === undefined));
  const colorOf = (name: string) => colors?.[name] ?? palette.get(name) ?? othersColor;
  const label = (name: string) => (name === othersKey ? t("Others") : (nameOf?.(name) ?? name));
  const linesOf = (day: number) =>
    series
      .map((name) => ({ name, value: Number(rows[day]?.[name] ?? 0) }))
      .filter(({ value }) => value > 0)
      .reverse()
      .map(({ name, value }) => ({
        name,
        label: label(name),
        value: print(value),
        color: colorOf(name),
      }));
  const totalOf = (day: number) =>
    print(series.reduce((sum, name) => sum + Number(rows[day]?.[name] ?? 0), 0));
  const beforeOf = (day: number) =>
    line === undefined ? undefined : { name: line.name, value: print(line.values[day] ?? 0) };
  const marksOf = (day: number) => marks.filter((mark) => mark.day === day).map(({ text }) => text);
  const hint = t("Click a bar or drag over several to open the calls.");
  const before = beforeOf(read);
  const spoken = [
    `${rows[read]?.date ?? ""}: ${totalOf(read)}`,
    ...linesOf(read).map((each) => `${each.label} ${each.value}`),
    ...(before === undefined ? [] : [`${before.name} ${before.value}`]),
    ...marksOf(read),
  ].join(", ");
  return (
    <>
      <div
        ref={ref}
        className={classes.chart}
        style={{ height }}
        data-chart
        data-selects={onRange ? true : undefined}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-orientation="horizontal"
        aria-valuemin={1}
        aria-valuemax={days}
        aria-valuenow={read + 1}
        aria-valuetext={spoken}
        aria-description={onRange ? hint : undefined}
        {...handlers}
      >
        <svg width={wholeWidth} height={height} aria-hidden>
          {ticks.map((value) => {
            const y = topSpace + plotHeight * (1 - value / highest);
            return (
              <g key={value}>
                <line
                  className={value === 0 ? classes.baseline : classes.grid}
                  x1={axisWidth}
                  x2={axisWidth + width}
                  y1={y}
                  y2={y}
                />
                <text className="tabular" x={axisWidth - tickGap} y={y} dy="0.355em" textAnchor="end">
                  {tick(value)}
                </text>
              </g>
            );
          })}
          {width > 0 ? (
            <g transform={`translate(${axisWidth} ${topSpace})`}>
              <Plot
                stacks={{ series, rows }}
                box={{ width, height: plotHeight }}
                highest={highest}
                selected={brush ?? (shown === null ? null : { first: shown, last: shown })}
                colorOf={colorOf}
                lit={pointed ?? kept}
                line={line?.values}
                marked={new Set(marks.map(({ day }) => day))}
                dayText={dayText}
              />
            </g>
          ) : null}
        </svg>
        {shown === null ? null : (
          <ChartTooltip
            date={String(rows[shown]?.date)}
            total={totalOf(shown)}
            lines={linesOf(shown)}
            before={beforeOf(shown)}
            notes={onRange ? [...marksOf(shown), hint] : marksOf(shown)}
            style={besideDay(axisWidth + middleOf(shown, days, width), wholeWidth)}
          />
        )}
      </div>
      <ChartLegend
        entries={series.map((name) => ({
          name,
          label: label(name),
          color: colorOf(name),
          isData: name !== othersKey && nameOf === undefined,
        }))}
        line={line?.name}
        kept={kept}
        onPoint={setPointed}
        onKeep={setKept}
      />
    </>
  );
}

type PlotProps = {
  stacks: Stacks;
  box: Box;
  /** The value at the upper edge. */
  highest: number;
  selected: SelectedDays | null;
  colorOf: (name: string) => string;
  /** The series that is not dimmed; null = all. */
  lit: string | null;
  line: readonly number[] | undefined;
  /** Days on which something happened. */
  marked: ReadonlySet<number>;
  dayText: (date: string) => string;
};

/** Bars, the line of the previous period, the selected days, and the dates below. */
function Plot({ stacks, box, highest, selected, colorOf, lit, line, marked, dayText }: PlotProps) {
  const { series, rows } = stacks;
  const { width, height } = box;
  const days = rows.length;
  const every = labelEvery(days, width, dateWidth);
  return (
    <>
      {selected === null ? null : (
        <rect
          className={classes.cursor}
          x={(selected.first * width) / days}
          width={((selected.last - selected.first + 1) * width) / days}
          height={height}
        />
      )}
      {barPaths(stacks, highest, box).map((path, index) => {
        const name = series[index] ?? "";
        return (
          <path
            key={name}
            d={path}
            fill={colorOf(name)}
            className={classes.bars}
            data-dim={(lit !== null && lit !== name) || undefined}
          />
        );
      })}
      {line === undefined ? null : <path className={classes.line} d={linePath(line, highest, box)} />}
      {rows.map((row, day) => (
        <g key={row.date}>
          {marked.has(day) ? (
            <path className={classes.mark} d={`M${middleOf(day, days, width)} ${height + 2}l4 7h-8z`} />
          ) : null}
          {day % every === 0 ? (
            <text x={middleOf(day, days, width)} y={height + 22} textAnchor="middle">
              {dayText(row.date)}
            </text>
          ) : null}
        </g>
      ))}
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

/** Places the tooltip on the side with more room, and inside the chart. */
function besideDay(x: number, width: number) {
  const gap = 14;
  return x > width / 2
    ? { right: width - x + gap, maxWidth: x - gap }
    : { left: x + gap, maxWidth: width - x - gap };
}

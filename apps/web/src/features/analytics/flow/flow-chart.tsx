/** The flow diagram. Each node is a link to its calls and highlights its bands on focus. */
import { Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { isolateName } from "#lib/isolate-name.ts";
import { type FlowBand, type FlowLayout, type FlowNode, flowColumns, flowSize } from "./flow-layout.ts";
import { shortName } from "./short-name.ts";
import classes from "./flow-chart.module.css";

type FlowChartProps = {
  layout: FlowLayout;
  titles: string[];
  print: (value: number) => string;
  percent: (share: number) => string;
  /** Returns the address of a node's calls; undefined when the log has no such filter. */
  addressOf: (node: FlowNode) => string | undefined;
};

const width = 1_000;
const head = 24;
const leftEdge = (column: number) => (column * (flowSize.width - flowSize.bar)) / (flowColumns.length - 1);

export function FlowChart({ layout, titles, print, percent, addressOf }: FlowChartProps) {
  const { t } = useTranslation("analytics");
  const [active, setActive] = useState<FlowNode | null>(null);
  const touches = (band: FlowBand) => active !== null && (band.from === active || band.to === active);
  const sayName = (node: FlowNode) => isolateName(node.name) || t("Others");
  const say = (node: FlowNode) =>
    `${titles[node.column]}: ${sayName(node)}, ${print(node.value)}, ${percent(node.value / layout.total)}`;
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={t("Flow of calls")}>
      <svg viewBox={`0 0 ${width} ${flowSize.height + head + 8}`} className={classes.chart}>
        {titles.map((title, column) => (
          <text key={title} x={leftEdge(column)} y={12} className={classes.title}>
            {title}
          </text>
        ))}
        <g transform={`translate(0 ${head})`}>
          {layout.bands.map((band) => (
            <path
              key={`${band.from.column} ${band.from.key} ${band.to.key}`}
              d={bandPath(band)}
              className={classes.band}
              data-active={touches(band) || undefined}
              data-column={(touches(band) && active ? active.column : band.from.column) + 1}
            >
              <title>{`${sayName(band.from)} → ${sayName(band.to)}: ${print(band.value)}`}</title>
            </path>
          ))}
          {layout.nodes.map((node) => {
            const address = addressOf(node);
            const body = (
              <>
                <title>{say(node)}</title>
                <rect
                  x={node.left}
                  y={node.top}
                  width={flowSize.bar}
                  height={Math.max(1.5, node.height)}
                  rx={2}
                  className={classes.node}
                  data-column={node.key === "" ? "others" : node.column + 1}
                />
                <text
                  x={node.left + flowSize.bar + 6}
                  y={node.top + node.height / 2}
                  className={classes.label}
                  dominantBaseline="central"
                >
                  {shortName(node.name || t("Others"))}
                </text>
              </>
            );
            const hover = {
              onMouseEnter: () => setActive(node),
              onMouseLeave: () => setActive(null),
              onFocus: () => setActive(node),
              onBlur: () => setActive(null),
            };
            const key = `${node.column} ${node.key}`;
            return address === undefined ? (
              <g key={key} {...hover}>
                {body}
              </g>
            ) : (
              <Link key={key} to={address} aria-label={say(node)} className={classes.link} {...hover}>
                {body}
              </Link>
            );
          })}
        </g>
      </svg>
      <Text fz="xs" c="dimmed" mih={18} aria-hidden>
        {active ? say(active) : ""}
      </Text>
    </div>
  );
}

function bandPath({ from, to, fromTop, toTop, height }: FlowBand): string {
  const [x0, x1] = [from.left + flowSize.bar, to.left];
  const middle = (x0 + x1) / 2;
  const [y0, y1] = [fromTop + height, toTop + height];
  return [
    `M${x0},${fromTop}C${middle},${fromTop} ${middle},${toTop} ${x1},${toTop}`,
    `L${x1},${y1}C${middle},${y1} ${middle},${y0} ${x0},${y0}Z`,
  ].join("");
}

/** A small line chart without axes. Decoration of a number, hence hidden from screen readers. */
type SparklineProps = { values: number[]; color: string; width?: number; height?: number };

export function Sparkline({ values, color, width = 96, height = 32 }: SparklineProps) {
  if (values.length < 2) return null;
  const top = Math.max(...values, 1);
  const inset = 2;
  const points = values.map((value, index) => {
    const x = inset + (index / (values.length - 1)) * (width - 2 * inset);
    const y = height - inset - (value / top) * (height - 2 * inset);
    return [Number(x.toFixed(1)), Number(y.toFixed(1))] as const;
  });
  const line = points.map(([x, y]) => `${x},${y}`).join(" ");
  const last = points.at(-1);
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      aria-hidden
      // Its viewBox keeps the proportions in a container that is narrower, such as a drawer on a phone.
      style={{ flex: "none", maxWidth: "100%" }}
    >
      <polygon
        points={`${inset},${height} ${line} ${width - inset},${height}`}
        fill={color}
        fillOpacity={0.1}
      />
      <polyline
        points={line}
        fill="none"
        stroke={color}
        strokeWidth={1.6}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      {last ? <circle cx={last[0]} cy={last[1]} r={2.2} fill={color} /> : null}
    </svg>
  );
}

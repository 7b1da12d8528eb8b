/** Figures side by side on one card: a title, the figure, and a secondary line below. */
import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { About } from "./about.tsx";
import classes from "./stats.module.css";

type StatsProps = {
  /** Number of columns in a wide window; at most four in a narrow one, two on a phone. */
  columns: number;
  children: ReactNode;
  /** One line below the figures. */
  footer?: ReactNode;
};

export function Stats({ columns, children, footer }: StatsProps) {
  return (
    <Card
      padding={0}
      className={classes.strip}
      data-four={columns === 4 || undefined}
      style={{ "--columns": columns }}
    >
      {children}
      {footer ? <div className={classes.footer}>{footer}</div> : null}
    </Card>
  );
}

type StatProps = {
  title: string;
  value: ReactNode;
  /** Tooltip with the exact value. */
  exact?: string;
  /** Explanation that the title opens. */
  about?: ReactNode;
  /** Marks the figure, or the line below it. */
  bad?: "figure" | "line" | undefined;
  /** A bar between the figure and the line below it. */
  meter?: ReactNode;
  line?: ReactNode;
};

export function Stat({ title, value, exact, about, bad, meter, line }: StatProps) {
  return (
    <section className={classes.stat} aria-label={title}>
      <Text fz="sm" c="dimmed">
        {about ? <About title={title}>{about}</About> : title}
      </Text>
      <Text className={classes.value} title={exact} data-bad={bad === "figure" || undefined}>
        {value}
      </Text>
      {meter}
      <Text fz="xs" c={bad === "line" ? "var(--mantine-color-error)" : "dimmed"} className="tabular">
        {line}
      </Text>
    </section>
  );
}

/** Figures side by side on one card: a title, the figure, and a secondary line below. */
import { Card, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { About } from "./about.tsx";
import classes from "./stats.module.css";

/** @param columns number of columns in a wide window; at most four in a narrow one, two on a phone */
export function Stats({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <Card
      padding={0}
      className={classes.strip}
      data-four={columns === 4 || undefined}
      style={{ "--columns": columns }}
    >
      {children}
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
  line?: ReactNode;
};

export function Stat({ title, value, exact, about, bad, line }: StatProps) {
  return (
    <section className={classes.stat} aria-label={title}>
      <Text fz="sm" c="dimmed">
        {about ? <About title={title}>{about}</About> : title}
      </Text>
      <Text className={classes.value} title={exact} data-bad={bad === "figure" || undefined}>
        {value}
      </Text>
      <Text fz="xs" c={bad === "line" ? "var(--mantine-color-error)" : "dimmed"} className="tabular">
        {line}
      </Text>
    </section>
  );
}

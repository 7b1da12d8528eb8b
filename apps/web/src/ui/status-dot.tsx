import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./status-dot.module.css";

export type Tone = "good" | "warn" | "bad" | "idle" | "accent";

/** A status as a dot and a word, never colour alone. */
export function StatusDot({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <Group gap={7} align="baseline" wrap="nowrap" component="span" display="inline-flex">
      <span className={classes.dot} data-tone={tone} aria-hidden />
      <Text span inherit style={{ whiteSpace: "nowrap" }}>
        {children}
      </Text>
    </Group>
  );
}

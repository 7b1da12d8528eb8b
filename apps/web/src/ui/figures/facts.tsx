/** Names and values side by side: the details of a row or an account. */
import { SimpleGrid, Text } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./facts.module.css";

export function Facts({ columns = 3, children }: { columns?: number; children: ReactNode }) {
  return (
    <SimpleGrid
      component="dl"
      className={classes.facts}
      cols={{ base: Math.min(2, columns), md: columns }}
      spacing="lg"
      verticalSpacing="md"
    >
      {children}
    </SimpleGrid>
  );
}

type FactProps = {
  label: string;
  /** Takes the whole line: a link or another long value. */
  wide?: boolean;
  children: ReactNode;
};

export function Fact({ label, wide = false, children }: FactProps) {
  return (
    <div className={classes.fact} data-wide={wide || undefined}>
      <Text component="dt" fz="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0}>
        {children}
      </Text>
    </div>
  );
}

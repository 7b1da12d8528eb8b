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

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <Text component="dt" fz="sm" c="dimmed">
        {label}
      </Text>
      <Text component="dd" m={0}>
        {children}
      </Text>
    </div>
  );
}

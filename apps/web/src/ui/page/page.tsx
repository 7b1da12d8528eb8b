/** Layout of a screen: title, one sentence, actions, content. */
import { Box, Card, type CardProps, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { usePageTitle } from "#lib/site.ts";
import { ErrorBoundary } from "#ui/error-boundary.tsx";
import classes from "./page.module.css";

type PageProps = {
  title: string;
  /** One short sentence about the purpose of the screen. */
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

export function Page({ title, description, actions, children }: PageProps) {
  usePageTitle(title);
  return (
    <Stack gap="md">
      <div className={classes.head}>
        <Box miw={0}>
          <Title order={1} fz={{ base: 20, sm: 24 }}>
            {title}
          </Title>
          {description ? (
            <Text c="dimmed" mt={4} maw={760} style={{ textWrap: "pretty" }}>
              {description}
            </Text>
          ) : null}
        </Box>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </div>
      {children}
    </Stack>
  );
}

/** Cards in two equal columns; in a narrow window below each other. */
export function Halves({ children }: { children: ReactNode }) {
  return <div className={classes.halves}>{children}</div>;
}

type SectionProps = CardProps & {
  id?: string;
  title?: ReactNode;
  hint?: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
};

/** A card with a small heading. */
export function Section({ title, hint, aside, children, ...card }: SectionProps) {
  return (
    <Card padding="lg" {...card}>
      {title || aside ? (
        <div className={classes.sectionHead} data-hint={hint ? true : undefined}>
          <Box miw={0}>
            <Title order={2} fz="md">
              {title}
            </Title>
            {hint ? (
              <Text c="dimmed" fz="sm" mt={2}>
                {hint}
              </Text>
            ) : null}
          </Box>
          <div className={classes.aside}>{aside}</div>
        </div>
      ) : null}
      <ErrorBoundary>{children}</ErrorBoundary>
    </Card>
  );
}

import { Center, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Mark } from "#components/icons/mark.tsx";
import { usePageTitle } from "#lib/site.ts";

/** The centred card of the sign-in and setup screens. */
export function EntryCard({
  title,
  hint,
  children,
}: {
  title: string;
  hint?: ReactNode;
  children: ReactNode;
}) {
  usePageTitle(title);
  return (
    <Center px="md" py={{ base: 32, sm: 72 }}>
      <Paper withBorder w="100%" maw={420} p={{ base: "lg", sm: 36 }}>
        <Stack gap={4} mb="lg">
          <Mark size={36} />
          <Title order={1} fz={22} mt="md">
            {title}
          </Title>
          {hint ? <Text c="dimmed">{hint}</Text> : null}
        </Stack>
        {children}
      </Paper>
    </Center>
  );
}

/** What stands where there is nothing: says why, and the next step. */
import { Button, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCloudOff, IconInbox, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/error-text.ts";

type EmptyProps = { title: string; hint?: ReactNode; action?: ReactNode; icon?: Icon; compact?: boolean };

export function Empty({ title, hint, action, icon: Picture = IconInbox, compact = false }: EmptyProps) {
  return (
    <Stack align="center" gap={6} py={compact ? "lg" : 56} px="md" ta="center">
      <ThemeIcon variant="default" size={44} radius="lg" c="dimmed" mb={6}>
        <Picture size={22} stroke={1.6} />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {hint ? (
        <Text c="dimmed" fz="sm" maw={420}>
          {hint}
        </Text>
      ) : null}
      {action ? <div style={{ marginTop: 10 }}>{action}</div> : null}
    </Stack>
  );
}

export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty
      icon={IconCloudOff}
      title={t("This could not be loaded")}
      hint={errorReason(error, t)}
      action={
        onRetry ? (
          <Button variant="default" onClick={onRetry}>
            {t("Try again")}
          </Button>
        ) : null
      }
    />
  );
}

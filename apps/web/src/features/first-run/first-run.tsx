/** First run for administrators, in one card: a provider, a key, a command, and the first call with its bill. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Card, CloseButton, Group, Skeleton, Text, Title } from "@mantine/core";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { type ReadyGateway, ProviderStep } from "./provider-step.tsx";

const CommandStep = lazy(() =>
  import("./command-step.tsx").then((module) => ({ default: module.CommandStep })),
);

type FirstRunProps = {
  /** A channel exists already. */
  hasChannel: boolean;
  onHide: () => void;
  /** The route and the bill of the first call. */
  callDetail: (row: LogRow) => ReactNode;
};

export function FirstRun({ hasChannel, onHide, callDetail }: FirstRunProps) {
  const { t } = useTranslation("first-run");
  const [ready, setReady] = useState<ReadyGateway | undefined>();
  return (
    <Card padding="lg" component="section" aria-label={t("Make your first call")}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <div>
          <Title order={2} fz="lg">
            {t("Make your first call")}
          </Title>
          <Text c="dimmed" fz="sm">
            {ready === undefined
              ? t("Choose where calls go. The gateway tests the connection and creates your first key.")
              : t("Run the command in a terminal. The call appears here with its route and its bill.")}
          </Text>
        </div>
        <CloseButton aria-label={t("Hide these steps")} onClick={onHide} />
      </Group>
      {ready === undefined ? (
        <ProviderStep hasChannel={hasChannel} onReady={setReady} />
      ) : (
        <LazyBoundary fallback={<Skeleton height={320} />}>
          <CommandStep ready={ready} callDetail={callDetail} />
        </LazyBoundary>
      )}
    </Card>
  );
}

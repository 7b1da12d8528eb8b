/** Steps of a new account until its first successful call, then what follows it. */
import { Card, CloseButton, Group, Skeleton, Text, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { selfQuery, useSelf } from "#lib/session.ts";
import { recentTokensQuery } from "./api.ts";
import { FIRST_CALLS, FIRST_STEPS_HIDDEN } from "./first-calls.ts";
import { NextSteps } from "./next-steps.tsx";
import { type SetupStep, StepList } from "./step-list.tsx";

const ADVANCE_MS = 4_000;

export function FirstSteps() {
  const { t } = useTranslation("dashboard");
  const self = useSelf();
  const fresh = self?.request_count === 0;
  // The steps advance without a reload, wherever they are done.
  const refetchInterval = fresh ? ADVANCE_MS : false;
  const tokens = useQuery({ ...recentTokensQuery, enabled: fresh, refetchInterval });
  useQuery({ ...selfQuery, enabled: fresh, refetchInterval });
  const [hidden, hide] = useLocalStorage({
    key: FIRST_STEPS_HIDDEN,
    defaultValue: false,
    getInitialValueInEffect: false,
  });

  if (!self || hidden || self.request_count > FIRST_CALLS) return null;
  if (self.request_count > 0) return <NextSteps self={self} onHide={() => hide(true)} />;
  if (tokens.error) return null;

  const balance: SetupStep = {
    id: "balance",
    title: t("Top up"),
    hint: t("Your balance is empty. Redeem a code or contact the operator of this site."),
    done: false,
    to: "/panel/topup",
    action: t("Top up"),
  };
  const steps: SetupStep[] = [
    ...(self.quota > 0 ? [] : [balance]),
    {
      id: "token",
      title: t("Create a token"),
      hint: t("The API key of an application. You can limit the spending of each key."),
      done: (tokens.data?.total_count ?? 0) > 0,
      to: "/panel/token?edit=new",
      action: t("Create a token"),
    },
    {
      id: "call",
      title: t("Make the first call"),
      hint: t("Send a message in the playground, or connect your own client."),
      done: false,
      to: "/panel/playground",
      action: t("Open the playground"),
      other: { to: "/panel/connect", action: t("Connect a client") },
    },
  ];
  const next = steps.find((step) => !step.done);
  return (
    // The card keeps its place while it loads, so that nothing below it moves.
    <Skeleton visible={tokens.isPending} radius="lg">
      <Card padding="lg">
        <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
          <div>
            <Title order={2} fz="md">
              {t("Get started")}
            </Title>
            <Text c="dimmed" fz="sm">
              {t("{{done}} of {{total}} steps done", {
                done: steps.filter((step) => step.done).length,
                total: steps.length,
              })}
            </Text>
          </div>
          <CloseButton aria-label={t("Hide these steps")} onClick={() => hide(true)} />
        </Group>
        <StepList steps={steps} offers={(step) => step === next} />
      </Card>
    </Skeleton>
  );
}

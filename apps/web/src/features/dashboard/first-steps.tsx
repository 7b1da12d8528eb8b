/** Setup steps of a fresh installation until the first successful call, then what follows it. */
import { Card, CloseButton, Group, Skeleton, Text, Title } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { selfQuery, useSelf } from "#lib/session.ts";
import { addsChannels, firstChannelQuery, recentTokensQuery } from "./api.ts";
import { FIRST_CALLS, FIRST_STEPS_HIDDEN } from "./first-calls.ts";
import { NextSteps } from "./next-steps.tsx";
import { type SetupStep, StepList } from "./step-list.tsx";

const ADVANCE_MS = 4_000;

export function FirstSteps() {
  const { t } = useTranslation("dashboard");
  const self = useSelf();
  const admin = self ? addsChannels(self) : false;
  const fresh = self?.request_count === 0;
  // The steps advance without a reload, wherever they are done.
  const refetchInterval = fresh ? ADVANCE_MS : false;
  const channels = useQuery({ ...firstChannelQuery, enabled: admin && fresh, refetchInterval });
  const tokens = useQuery({ ...recentTokensQuery, enabled: fresh, refetchInterval });
  useQuery({ ...selfQuery, enabled: fresh, refetchInterval });
  const [hidden, hide] = useLocalStorage({
    key: FIRST_STEPS_HIDDEN,
    defaultValue: false,
    getInitialValueInEffect: false,
  });

  if (!self || hidden || self.request_count > FIRST_CALLS) return null;
  if (self.request_count > 0) return <NextSteps self={self} onHide={() => hide(true)} />;
  if (channels.error || tokens.error) return null;
  // Until both are known the card keeps its place, so that nothing below it moves.
  const waiting = tokens.isPending || (admin && channels.isPending);

  const forAdmins: SetupStep[] = [
    {
      id: "channel",
      title: t("Add channel"),
      hint: t("An account at a provider, or the built-in demo provider that needs no key."),
      done: (channels.data?.total_count ?? 0) > 0,
      to: "/panel/channel?edit=new",
      action: t("Add channel"),
      other: { to: "/panel/channel", action: t("Use the demo provider") },
    },
    {
      id: "test",
      title: t("Test the channel"),
      hint: t("One short call checks the address, the key and the model."),
      done: (channels.data?.data[0]?.test_time ?? 0) > 0,
      to: "/panel/channel",
      action: t("Open channels"),
    },
  ];
  const balance: SetupStep = {
    id: "balance",
    title: t("Top up"),
    hint: t("Your balance is empty. Redeem a code or contact the operator of this site."),
    done: false,
    to: "/panel/topup",
    action: t("Top up"),
  };
  const steps: SetupStep[] = [
    ...(admin ? forAdmins : []),
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
    <Skeleton visible={waiting} radius="lg">
      <Card padding="lg">
        <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
          <div>
            <Title order={2} fz="md">
              {admin ? t("Set up your gateway") : t("Get started")}
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

/** What follows the first call of an account: its cost, and the steps from a trial to a gateway with customers. */
import type { Self } from "@gateway/shared/accounts/session";
import { Anchor, Card, CloseButton, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Amount } from "#components/amount.tsx";
import { pathOfCall } from "#lib/address/call-address.ts";
import {
  canAddChannels,
  canAddCustomers,
  firstCallQuery,
  hasCustomersQuery,
  hasProviderQuery,
} from "./api.ts";
import { type SetupStep, StepList } from "./step-list.tsx";

type NextStepsProps = { self: Self; onHide: () => void };

export function NextSteps({ self, onHide }: NextStepsProps) {
  const { t } = useTranslation("dashboard");
  const mayAddChannels = canAddChannels(self);
  const mayAddCustomers = canAddCustomers(self);
  const first = useQuery(firstCallQuery);
  const provider = useQuery({ ...hasProviderQuery, enabled: mayAddChannels });
  const customers = useQuery({ ...hasCustomersQuery, enabled: mayAddCustomers });
  const call = first.data;
  if (!call || (mayAddChannels && !provider.isSuccess) || (mayAddCustomers && !customers.isSuccess))
    return null;

  const steps: (SetupStep | false)[] = [
    mayAddChannels && {
      id: "provider",
      title: t("Add provider"),
      hint: t("Create a channel with your API key from OpenAI, Anthropic, Gemini or another provider."),
      done: provider.data === true,
      to: "/panel/channel?edit=new",
      action: t("Add channel"),
    },
    mayAddCustomers && {
      id: "customer",
      title: t("Add customer"),
      hint: t("Create an account, a key with a monthly budget, and a message for the customer in one form."),
      done: customers.data === true,
      to: "/panel/user?customer=new",
      action: t("New customer"),
    },
    {
      id: "client",
      title: t("Connect a client"),
      hint: t("Settings for Claude Code, Codex, Cherry Studio and other clients, ready to copy."),
      done: false,
      to: "/panel/connect",
      action: t("Connect a client"),
    },
  ];
  const shown = steps.filter((step) => step !== false);
  // A gateway with a provider and customers is set up.
  if (mayAddChannels && shown.every((step) => step.done || step.id === "client")) return null;
  return (
    <Card padding="lg" component="section" aria-label={t("Your first call")}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <div>
          <Title order={2} fz="md">
            {t("Your first call")}
          </Title>
          <Text c="dimmed" fz="sm">
            {call.model_name} ·{" "}
            {t("{{count}} tokens", { count: call.prompt_tokens + call.completion_tokens })} ·{" "}
            <Amount points={call.quota} charge /> ·{" "}
            <Anchor component={Link} to={pathOfCall(call.request_id)} fz="inherit">
              {t("See how the cost was calculated")}
            </Anchor>
          </Text>
        </div>
        <CloseButton aria-label={t("Hide these steps")} onClick={onHide} />
      </Group>
      <StepList steps={shown} offers={(step) => !step.done} />
    </Card>
  );
}

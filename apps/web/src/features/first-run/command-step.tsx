/** The command of the first call, and the call as soon as it arrives. */
import type { LogRow } from "@gateway/shared/usage/log";
import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { ConnectedProvider } from "#components/first-provider/connect-provider.ts";
import { CodeBox } from "#components/samples/code-box.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { useNextCall } from "#components/usage/use-next-call.ts";
import { pathOfCall } from "#lib/address/call-address.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useServerAddress } from "#lib/site.ts";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { commandWithKey, type FirstClient, firstClients } from "./command-with-key.ts";
import type { ReadyGateway } from "./provider-step.tsx";
import classes from "./first-run.module.css";

const names: Record<FirstClient, string> = { curl: "curl", "claude-code": "Claude Code", codex: "Codex" };
const usesWindows = () => navigator.userAgent.includes("Windows");

type CommandStepProps = { ready: ReadyGateway; callDetail: (row: LogRow) => ReactNode };

export function CommandStep({ ready, callDetail }: CommandStepProps) {
  const { t } = useTranslation("first-run");
  const address = useServerAddress();
  const [client, setClient] = useState<FirstClient>("curl");
  const models = useQuery(modelsQuery).data;
  const model = ready.connected?.test.model || sampleModel(models ?? {});
  const call = useNextCall(false);
  const command = commandWithKey(client, { baseUrl: address, model: model || "<model>", key: ready.key });
  if (call) return <ArrivedCall call={call}>{callDetail(call)}</ArrivedCall>;
  return (
    <Stack gap="md">
      {ready.connected ? <ConnectedLine connected={ready.connected} /> : null}
      <CodeBox
        code={usesWindows() ? command.powershell : command.posix}
        label={t("Command")}
        bar={
          <ChoiceBar
            label={t("Client")}
            choices={firstClients}
            titles={names}
            value={client}
            onChange={setClient}
          />
        }
      />
      <Text fz="sm" c="dimmed">
        {client === "curl"
          ? t("The command contains your key. You find it again under Tokens.")
          : t("The command contains your key. It writes the settings of the client and makes a test call.")}
      </Text>
      <div className={classes.waiting} role="status">
        <span className={classes.pulse} aria-hidden />
        {t("Waiting for your first call…")}
      </div>
    </Stack>
  );
}

function ConnectedLine({ connected: { channel, test, unpriced } }: { connected: ConnectedProvider }) {
  const { t } = useTranslation("first-run");
  return (
    <Alert color="green" variant="light" icon={<IconCheck size={18} />}>
      <Text fz="sm">
        {t("{{name}} is connected with {{count}} models. {{model}} answered in {{time}}.", {
          name: channel.name,
          count: channel.models.length,
          model: test.model,
          time: formatDuration(test.duration),
        })}
      </Text>
      {unpriced > 0 ? (
        <Text fz="sm" c="dimmed" mt={4}>
          {t("{{count}} models without a price were left out.", { count: unpriced })}{" "}
          <Anchor component={Link} to="/panel/pricing" fz="sm">
            {t("Set prices")}
          </Anchor>
        </Text>
      ) : null}
    </Alert>
  );
}

function ArrivedCall({ call, children }: { call: LogRow; children: ReactNode }) {
  const { t } = useTranslation("first-run");
  const failed = call.outcome === "failed";
  return (
    <Stack gap="md">
      <Text role="status" fw={600} c={failed ? "red" : undefined}>
        {failed ? t("Your call arrived, but it failed.") : t("Your first call arrived.")}
      </Text>
      {children}
      <Group gap="xs">
        <Button component={Link} to={pathOfCall(call.request_id)}>
          {t("Open the call")}
        </Button>
        <Button component={Link} to="/panel/connect" variant="default">
          {t("Connect a client")}
        </Button>
        <Button component={Link} to="/panel/playground" variant="default">
          {t("Open the playground")}
        </Button>
      </Group>
    </Stack>
  );
}

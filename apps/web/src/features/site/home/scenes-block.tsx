/** Three short scenes: failover, the bill, and an agent that is connected by one command. */
import { clients } from "@gateway/shared/connect/clients";
import { Anchor, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { CodeBox } from "#components/samples/code-box.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useServerAddress } from "#lib/site.ts";
import { StatusDot, type Tone } from "#ui/status-dot.tsx";
import classes from "./home.module.css";

export function ScenesBlock() {
  const { t } = useTranslation("site");
  return (
    <div className={classes.scenes}>
      <Scene
        title={t("A provider fails, your application does not")}
        text={t(
          "Several channels can serve a model. If one fails before the first token, the gateway pauses it and uses the next one.",
        )}
      >
        <Steps />
      </Scene>
      <Scene
        title={t("You pay for what arrived")}
        text={t("Each call has a bill with tokens, prices and total. It can be recalculated line by line.")}
      >
        <Charges />
      </Scene>
      <Scene
        title={t("One command connects an agent")}
        text={t(
          "It signs you in, creates a key and writes the settings. Works for Claude Code, Codex and others.",
        )}
      >
        <AgentCommand />
      </Scene>
    </div>
  );
}

function Scene({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className={classes.sceneCard}>
      <div>
        <Title order={2} fz="lg">
          {title}
        </Title>
        <Text c="dimmed" mt={6}>
          {text}
        </Text>
      </div>
      {children}
    </div>
  );
}

function Steps() {
  const { t } = useTranslation("site");
  const steps: { at: string; tone: Tone; text: string }[] = [
    { at: "0.00 s", tone: "accent", text: t("The call arrives") },
    { at: "0.18 s", tone: "bad", text: t("Channel 1 is overloaded and is paused") },
    { at: "0.19 s", tone: "accent", text: t("The same call goes to channel 2") },
    { at: "1.38 s", tone: "good", text: t("Your application has the answer") },
  ];
  return (
    <ol className={classes.facts}>
      {steps.map(({ at, tone, text }) => (
        <li key={at}>
          <Text span fz="sm">
            <StatusDot tone={tone}>{text}</StatusDot>
          </Text>
          <span className={classes.factEnd}>{at}</span>
        </li>
      ))}
    </ol>
  );
}

function Charges() {
  const { t } = useTranslation("site");
  const rows = [
    { when: t("Complete answer"), charge: t("Reported tokens") },
    { when: t("Client disconnected"), charge: t("Tokens until then") },
    { when: t("Provider failed"), charge: "$0" },
    { when: t("Empty answer"), charge: "$0" },
  ];
  return (
    <ul className={classes.facts}>
      {rows.map(({ when, charge }) => (
        <li key={when}>
          <span>{when}</span>
          <span className={classes.factEnd}>{charge}</span>
        </li>
      ))}
    </ul>
  );
}

function AgentCommand() {
  const { t } = useTranslation("site");
  const address = useServerAddress();
  const models = useQuery(modelsQuery).data ?? {};
  const model = sampleModel(models, /^claude/) || "<model>";
  const parts = clients.find(({ id }) => id === "claude-code")?.parts({ baseUrl: address, model, key: "" });
  const command = parts?.find((part) => part.kind === "command" && part.does === "connect");
  return (
    <div>
      <CodeBox
        label={t("Command")}
        bar="Claude Code"
        code={command?.kind === "command" ? command.posix : ""}
      />
      <Anchor component={Link} to="/connect" fz="sm" mt="sm" display="inline-block">
        {t("Settings for other clients")}
      </Anchor>
    </div>
  );
}

/** The choice of the first provider: the demo, or one whose key is pasted. Ends with a tested channel and a key. */
import type { CreatedToken } from "@gateway/shared/accounts/token";
import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconFlask2, IconKey } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ConnectedProvider } from "#components/first-provider/connect-provider.ts";
import { asSent, http } from "#lib/http.ts";
import { useMayEnter } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import classes from "./first-run.module.css";

// The dashboard of every new installation loads this file: the form and its controls follow when they are needed.
const PastedKey = lazy(() => import("./pasted-key.tsx").then((module) => ({ default: module.PastedKey })));
const ConnectError = lazy(() =>
  import("./connect-error.tsx").then((module) => ({ default: module.ConnectError })),
);

async function connectDemo(): Promise<ConnectedProvider> {
  const { connectDemo: connect } = await import("#components/first-provider/connect-provider.ts");
  return connect();
}

/** Creates a key without limits, and returns it. */
async function createFirstKey(name: string): Promise<string> {
  return (await http.post("/token", asSent<CreatedToken>(), { name })).key;
}

/** `connected` is undefined if the channel existed before. */
export type ReadyGateway = { key: string; connected: ConnectedProvider | undefined };

type ProviderStepProps = { hasChannel: boolean; onReady: (ready: ReadyGateway) => void };

export function ProviderStep({ hasChannel, onReady }: ProviderStepProps) {
  const { t } = useTranslation("first-run");
  const client = useQueryClient();
  const site = useSite();
  const [isPasting, setPasting] = useState(false);
  const mayEnable = useMayEnter("settings", "edit");
  const connect = useMutation({
    mutationFn: async (provide: () => Promise<ConnectedProvider | undefined>): Promise<ReadyGateway> => {
      const connected = await provide();
      return { connected, key: await createFirstKey(t("First key")) };
    },
    // The card shows the reason.
    meta: { quiet: true },
    onSuccess: onReady,
    // Also after a failure: the channel exists if only the key could not be created. Most of the console depends on it.
    onSettled: () => client.invalidateQueries(),
  });
  const hasDemo = site?.demo_upstream === true || (site?.demo_offered === true && mayEnable);
  const failure = connect.error ? (
    <LazyBoundary>
      <ConnectError error={connect.error} isSaved={hasChannel} />
    </LazyBoundary>
  ) : null;
  if (hasChannel)
    return (
      <Stack gap="sm" align="flex-start">
        <Text>{t("A channel is ready. Create a key to call it.")}</Text>
        <Button loading={connect.isPending} onClick={() => connect.mutate(async () => undefined)}>
          {t("Create a key and show the command")}
        </Button>
        {failure}
      </Stack>
    );
  return (
    <Stack gap="md">
      <div className={classes.choices}>
        <ProviderChoice
          title={t("Provider key")}
          text={t("OpenAI, Anthropic, Gemini, OpenRouter, Groq, xAI and others. It is stored encrypted.")}
        >
          {isPasting ? (
            <LazyBoundary fallback={<Skeleton height={36} />}>
              <PastedKey
                pending={connect.isPending && connect.variables !== connectDemo}
                disabled={connect.isPending}
                onConnect={(provide) => connect.mutate(provide)}
                onType={() => connect.reset()}
              />
            </LazyBoundary>
          ) : (
            <Button leftSection={<IconKey size={16} />} onClick={() => setPasting(true)}>
              {t("Paste a provider key")}
            </Button>
          )}
        </ProviderChoice>
        {hasDemo ? (
          <ProviderChoice
            title={t("No key at hand?")}
            text={t("The demo provider answers with example text. It needs no account elsewhere.")}
          >
            <Button
              variant="default"
              leftSection={<IconFlask2 size={16} />}
              loading={connect.isPending && connect.variables === connectDemo}
              disabled={connect.isPending}
              onClick={() => connect.mutate(connectDemo)}
            >
              {t("Use the demo provider")}
            </Button>
          </ProviderChoice>
        ) : null}
      </div>
      {failure}
    </Stack>
  );
}

function ProviderChoice({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <div className={classes.choice}>
      <Text fw={600}>{title}</Text>
      <Text fz="sm" c="dimmed" mb="sm">
        {text}
      </Text>
      {children}
    </div>
  );
}

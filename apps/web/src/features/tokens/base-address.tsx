/** The base URL for clients. */
import { Anchor, Group, Paper, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { useServerAddress } from "#lib/site.ts";
import { CopyCode } from "#ui/copy.tsx";
import classes from "./tokens.module.css";

export function BaseAddress() {
  const { t } = useTranslation("tokens");
  const address = useServerAddress();
  return (
    <Paper withBorder className={classes.addresses}>
      <Text fz="sm" fw={500} className={classes.addressesTitle}>
        {t("Base URL")}
      </Text>
      <Address providers={["openai"]} client="OpenAI" address={`${address}/v1`} />
      <Address providers={["claude", "gemini"]} client={t("Anthropic and Gemini")} address={address} />
      <Anchor component={Link} to="/panel/connect" fz="sm" ml="auto">
        {t("Connect a client")}
      </Anchor>
    </Paper>
  );
}

function Address({ providers, client, address }: { providers: string[]; client: string; address: string }) {
  const { t } = useTranslation("tokens");
  return (
    <Group gap={8} wrap="nowrap" miw={0}>
      {providers.map((provider) => (
        <ProviderIcon key={provider} name={provider} size={16} />
      ))}
      <Text fz="sm" c="dimmed" style={{ whiteSpace: "nowrap" }}>
        {client}
      </Text>
      <CopyCode text={address} label={t("Address")} />
    </Group>
  );
}

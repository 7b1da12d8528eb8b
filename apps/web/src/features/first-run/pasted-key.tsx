/** The key of a provider: recognised by its form, or with the provider chosen from the list. */
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Button, PasswordInput, Select, Stack, Text } from "@mantine/core";
import { IconArrowRight } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type ConnectedProvider, connectProvider } from "#components/first-provider/connect-provider.ts";
import { providersOfKey } from "#components/first-provider/providers-of-key.ts";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { pricesQuery } from "#lib/queries/prices.ts";
import { providersQuery } from "#lib/queries/providers.ts";
import { useMayEnter } from "#lib/session.ts";
import classes from "./first-run.module.css";

type PastedKeyProps = {
  pending: boolean;
  disabled: boolean;
  onConnect: (provide: () => Promise<ConnectedProvider>) => void;
  onType: () => void;
};

export function PastedKey({ pending, disabled, onConnect, onType }: PastedKeyProps) {
  const { t } = useTranslation("first-run");
  const client = useQueryClient();
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const providers = useQuery(providersQuery).data;
  const mayPrices = useMayEnter("prices");
  const text = key.trim();
  const fitting = providersOfKey(text, providers ?? []);
  const recognised = fitting.length === 1 ? fitting[0] : undefined;
  // Others need more than a key: an address, a region, a second secret.
  const simple = (providers ?? []).filter(
    (each) =>
      each.needs_key && !each.needs_base_url && each.other_label === "" && each.group !== "discontinued",
  );
  const provider = recognised ?? simple.find(({ id }) => id === chosen);
  const submit = () => {
    if (!provider || !text) return;
    onConnect(async () => {
      const prices = mayPrices ? await client.ensureQueryData(pricesQuery) : undefined;
      return connectProvider(provider, text, prices);
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        <PasswordInput
          aria-label={t("Provider key")}
          autoFocus
          placeholder="sk-…"
          autoComplete="off"
          visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            onType();
          }}
        />
        {recognised ? (
          <Text fz="sm" className={classes.recognised} role="status">
            <ProviderIcon name={recognised.icon} size={18} />
            {recognised.label}
          </Text>
        ) : text ? (
          <Select
            label={t("Provider")}
            description={t("Several providers use keys of this form.")}
            data={choicesOf(fitting, simple)}
            value={chosen}
            onChange={setChosen}
            searchable
            nothingFoundMessage={t("No provider matches")}
          />
        ) : null}
        <Button
          type="submit"
          w="fit-content"
          disabled={!provider || disabled}
          loading={pending}
          rightSection={<IconArrowRight size={16} />}
        >
          {t("Connect the provider")}
        </Button>
      </Stack>
    </form>
  );
}

/** Providers that fit the form of the key come first. */
function choicesOf(fitting: readonly ProviderInfo[], all: readonly ProviderInfo[]) {
  const first = fitting.filter((each) => all.includes(each));
  return [...first, ...all.filter((each) => !first.includes(each))].map(({ id, label }) => ({
    value: id,
    label,
  }));
}

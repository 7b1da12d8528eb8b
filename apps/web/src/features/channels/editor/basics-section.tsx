import { isCloud, referenceSource } from "@gateway/shared/channels/key-reference";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { Group, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ProviderIcon } from "#components/icons/provider-icon.tsx";
import { KeysField } from "#features/channels/keys/keys-field.tsx";
import { groupProviders } from "#features/channels/provider-groups.ts";
import { providerWord } from "#features/channels/provider-labels.ts";
import { FormSection } from "#ui/form/form-drawer.tsx";
import type { DraftForm } from "./draft.ts";
import { ownAddress } from "./draft.ts";

type BasicsSectionProps = {
  form: DraftForm;
  providers: ProviderInfo[];
  provider: ProviderInfo | undefined;
  /** Undefined for an unsaved channel. */
  id: number | undefined;
  hasKeys: boolean;
  keyHints: string[];
  /** The address, the proxy or the provider differs from the one that the stored keys were entered for. */
  moved: boolean;
};

function isIdentity(key: string): boolean {
  const source = referenceSource(key);
  return source !== undefined && isCloud(source);
}

const same = (one: string[], other: string[]) =>
  one.length === other.length && one.every((model, index) => model === other[index]);

export function BasicsSection({
  form,
  providers,
  provider,
  id,
  hasKeys,
  keyHints,
  moved,
}: BasicsSectionProps) {
  const { t } = useTranslation("channels");
  const isNew = id === undefined;
  const own = ownAddress(provider);
  const byType = (type: string) => providers.find((each) => String(each.type) === type);

  // Replaces the defaults of the previous provider with those of the new one. Typed values stay.
  const changeType = (next: string | null) => {
    const chosen = byType(next ?? "");
    if (!chosen) return;
    const { name, models, test_model, base_url = "" } = form.getValues();
    form.setFieldValue("type", chosen.type);
    if (isNew && (name === "" || name === provider?.label)) form.setFieldValue("name", chosen.label);
    if (models.length === 0 || (isNew && same(models, provider?.models ?? [])))
      form.setFieldValue("models", chosen.models);
    if (isNew && test_model === provider?.test_model) form.setFieldValue("test_model", "");
    if (base_url === "" || base_url === own) form.setFieldValue("base_url", ownAddress(chosen));
    form.setFieldValue("plugin", {});
    // An identity is of no use at another provider.
    const { key = "" } = form.getValues();
    if (chosen.identity !== provider?.identity && isIdentity(key)) form.setFieldValue("key", "");
    for (const path of ["type", "base_url", "key"]) form.clearFieldError(path);
  };

  return (
    <FormSection title={t("Basics")} hint={t("Provider, endpoint and API keys.")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <Select
          label={t("Provider")}
          required
          withAsterisk={false}
          searchable
          allowDeselect={false}
          // A new channel starts with its provider: a blur of the empty
          // name field would already show an error.
          data-autofocus={isNew || undefined}
          openOnFocus={false}
          nothingFoundMessage={t("No provider matches")}
          leftSection={<ProviderIcon name={provider?.icon ?? ""} size={16} />}
          data={groupProviders(providers).map(([group, members]) => ({
            group: t(group),
            items: members.map((each) => ({ value: String(each.type), label: providerWord(t, each.label) })),
          }))}
          renderOption={({ option }) => (
            <Group gap={9} wrap="nowrap" w="100%">
              <ProviderIcon name={byType(option.value)?.icon ?? ""} size={16} />
              <Text fz="sm" flex={1}>
                {option.label}
              </Text>
              {byType(option.value)?.needs_key ? null : (
                <Text fz="xs" opacity={0.85}>
                  {t("no key needed")}
                </Text>
              )}
            </Group>
          )}
          {...form.getInputProps("type")}
          value={String(form.values.type)}
          onChange={changeType}
        />
        <TextInput
          label={t("Name")}
          required
          withAsterisk={false}
          placeholder={provider ? t("e.g. {{example}}", { example: provider.label }) : undefined}
          data-autofocus={!isNew || undefined}
          {...form.getInputProps("name")}
        />
      </SimpleGrid>
      <TextInput
        label={t("API address")}
        type="url"
        required={provider?.needs_base_url || own !== ""}
        withAsterisk={false}
        placeholder={own || "https://api.example.com"}
        description={
          provider?.needs_base_url
            ? t("The address of the server, with or without /v1.")
            : own
              ? t("The provider's default address. Change it if you use another endpoint or a reverse proxy.")
              : provider?.base_url
                ? t("Leave it empty. The region determines the address.")
                : t("Leave it empty. The demo provider runs inside this server.")
        }
        {...form.getInputProps("base_url")}
      />
      <KeysField
        // The ways to sign in depend on the cloud.
        key={provider?.identity ?? ""}
        form={form}
        provider={provider}
        id={id}
        hasKeys={hasKeys}
        keyHints={keyHints}
        moved={moved}
      />
      {provider?.other_label ? (
        <TextInput label={providerWord(t, provider.other_label)} {...form.getInputProps("other")} />
      ) : null}
    </FormSection>
  );
}

/** Creates or edits a token. */
import type { CreatedToken, TokenRow } from "@gateway/shared/accounts/token";
import { SimpleGrid, Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useChangeToken, useCreateToken } from "#features/tokens/api.ts";
import { joinList } from "#lib/format/join-list.ts";
import { useCan } from "#lib/session.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { toast } from "#ui/toast.tsx";
import { Behaviour } from "./behaviour.tsx";
import { BillingTagField } from "./billing-tag-field.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import { toInput, type TokenFormValues } from "./form-schema.ts";
import { GroupFields } from "./group-fields.tsx";
import { McpSection } from "./mcp-fields.tsx";
import { TokenQuotaField } from "./quota-field.tsx";
import { RateFields } from "./rate-fields.tsx";
import { Restrictions } from "./restrictions.tsx";
import { useReachableModels, useTokenForm } from "./use-token-form.ts";

type TokenDrawerProps = {
  /** Undefined for a new token. */
  token: TokenRow | undefined;
  onClose: () => void;
  onCreated: (token: CreatedToken) => void;
};

export function TokenDrawer({ token, onClose, onCreated }: TokenDrawerProps) {
  const { t } = useTranslation("tokens");
  const tags = useCan("seeBillingTag");
  const form = useTokenForm(token);
  const create = useCreateToken();
  const change = useChangeToken();
  const { models, reachable } = useReachableModels(form);

  const save = async (values: TokenFormValues) => {
    const input = toInput(values);
    if (token) {
      await change.mutateAsync({ before: token, input });
      toast.success(t("Token saved"));
    } else onCreated(await create.mutateAsync(input));
    onClose();
  };

  return (
    <FormDrawer
      opened
      help="users#tokens"
      title={token ? t("Edit “{{name}}”", { name: token.name }) : t("New token")}
      form={form}
      submitLabel={token ? t("Save") : t("Create token")}
      onSubmit={save}
      onClose={onClose}
    >
      <FormSection title={t("General")}>
        <TextInput
          label={t("Name")}
          placeholder={t("The application that uses this key")}
          data-autofocus
          autoComplete="off"
          withAsterisk
          maxLength={64}
          {...form.getInputProps("name")}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <GroupFields form={form} />
        </SimpleGrid>
        <Reachable names={reachable} known={models !== undefined} />
        {tags ? <BillingTagField form={form} /> : null}
      </FormSection>
      <FormSection title={t("Limits")} hint={t("Your account balance always limits spending.")}>
        <TokenQuotaField form={form} />
        <ExpiryField form={form} />
      </FormSection>
      <FormSection
        title={t("Rate and spending limits")}
        hint={t("Limits for this key. Leave a field empty for no limit.")}
      >
        <RateFields form={form} token={token} />
      </FormSection>
      <FormSection title={t("Restrictions")} hint={t("Limit what this key can do if it is exposed.")}>
        <Restrictions form={form} models={models ?? {}} reachable={reachable} />
      </FormSection>
      <McpSection form={form} />
      <FormSection title={t("Behavior")}>
        <Behaviour form={form} />
      </FormSection>
    </FormDrawer>
  );
}

/** Examples of models that the selected groups reach. */
function Reachable({ names, known }: { names: string[]; known: boolean }) {
  const { t } = useTranslation("tokens");
  if (!known) return null;
  if (names.length === 0)
    return (
      <Text fz="sm" c="amber">
        {t("No channel serves this group yet. This key cannot call any model.")}
      </Text>
    );
  const shown = joinList(names.slice(0, 5));
  return (
    <Text fz="sm" c="dimmed">
      {t("Can call {{count}} models: {{names}}", {
        count: names.length,
        names: names.length > 5 ? `${shown} …` : shown,
      })}
    </Text>
  );
}

/** Edits a user's token and its owner. */
import type { TokenAdminRow } from "@gateway/shared/accounts/token";
import { Alert, Select, SimpleGrid, TextInput } from "@mantine/core";
import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { useAdministerToken } from "#features/tokens/api.ts";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { toast } from "#ui/toast.tsx";
import { BillingTagField } from "./billing-tag-field.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import { toInput, type TokenFormValues, type TokenSchemaForm } from "./form-schema.ts";
import { McpSection } from "./mcp-fields.tsx";
import { OwnerField } from "./owner-field.tsx";
import { TokenQuotaField } from "./quota-field.tsx";
import { useTokenForm } from "./use-token-form.ts";

export function OwnedTokenDrawer({ token, onClose }: { token: TokenAdminRow; onClose: () => void }) {
  const { t } = useTranslation("tokens");
  const form = useTokenForm(token);
  const change = useAdministerToken();
  const [owner, setOwner] = useState(token.user_id);
  const moves = owner !== token.user_id;
  const save = async (values: TokenFormValues) => {
    const newOwner = moves ? { user_id: owner } : {};
    await change.mutateAsync({ before: token, input: toInput(values), given: newOwner });
    toast.success(moves ? t("Token transferred") : t("Token saved"));
    onClose();
  };
  return (
    <FormDrawer
      opened
      help="users#tokens"
      title={t("Edit “{{name}}”", { name: token.name })}
      form={form}
      submitLabel={moves ? t("Save and transfer") : t("Save")}
      onSubmit={save}
      onClose={onClose}
      width={560}
      changed={moves}
    >
      <FormSection
        title={t("Belongs to")}
        hint={t("The calls are charged to this account. Its user can see the key.")}
      >
        <OwnerField known={{ id: token.user_id, name: token.owner_name }} value={owner} onChange={setOwner} />
        {moves ? (
          <Alert color="amber" variant="light" icon={<IconArrowsExchange size={18} />}>
            {withSpace(
              t("The new owner pays for all calls from now on. Past calls stay in the previous owner's log."),
            )}
            {t("The old key stops working immediately. The new owner finds the new key in the console.")}
          </Alert>
        ) : null}
      </FormSection>
      <FormSection title={t("General")}>
        <TextInput
          label={t("Name")}
          autoComplete="off"
          withAsterisk
          maxLength={64}
          {...form.getInputProps("name")}
        />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
          <GroupField form={form} field="group" label={t("Group")} none={t("Account default")} />
          <GroupField form={form} field="backup_group" label={t("Backup group")} none={t("None")} />
        </SimpleGrid>
        <BillingTagField form={form} />
      </FormSection>
      <FormSection title={t("Limits")} hint={t("The owner's balance always limits spending.")}>
        <TokenQuotaField form={form} />
        <ExpiryField form={form} />
      </FormSection>
      <McpSection form={form} owner={owner} />
    </FormDrawer>
  );
}

type GroupFieldProps = {
  form: TokenSchemaForm;
  field: "group" | "backup_group";
  label: string;
  none: string;
};

/** Offers all groups; the server checks whether the owner may use it. */
function GroupField({ form, field, label, none }: GroupFieldProps) {
  const symbols = useQuery(groupSymbolsQuery).data ?? [];
  const nameOf = useGroupNames();
  const current = form.values[field] ?? "";
  const groupOptions = [...new Set([...symbols, current])].filter((symbol) => symbol !== "");
  return (
    <Select
      label={label}
      data={[
        { value: "", label: none },
        ...groupOptions.map((symbol) => ({ value: symbol, label: nameOf(symbol) })),
      ]}
      allowDeselect={false}
      checkIconPosition="right"
      {...form.getInputProps(field)}
      onChange={(symbol) => form.setFieldValue(field, symbol ?? "")}
    />
  );
}

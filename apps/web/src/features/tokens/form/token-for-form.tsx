/** Creates a token for another user, as an administrator. */
import type { CreatedToken } from "@gateway/shared/accounts/token";
import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCreateTokenFor } from "#features/tokens/api.ts";
import { copyShownText } from "#ui/copy.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { ExpiryField } from "./expiry-field.tsx";
import { toInput, type TokenFormValues } from "./form-schema.ts";
import { McpSection } from "./mcp-fields.tsx";
import { OwnerField } from "./owner-field.tsx";
import { TokenQuotaField } from "./quota-field.tsx";
import { RateFields } from "./rate-fields.tsx";
import { useTokenForm } from "./use-token-form.ts";

type TokenForDrawerProps = {
  /** Initial selection; 0 for none. */
  userId: number;
  onClose: () => void;
  onCreated: (token: CreatedToken) => void;
};

export function TokenForDrawer({ userId, onClose, onCreated }: TokenForDrawerProps) {
  const { t } = useTranslation("tokens");
  const form = useTokenForm(undefined, t("API key"));
  const create = useCreateTokenFor();
  const [owner, setOwner] = useState(userId);
  const [missing, setMissing] = useState(false);
  const save = async (values: TokenFormValues) => {
    if (owner === 0) return setMissing(true);
    const token = await create.mutateAsync({ ...toInput(values), user_id: owner });
    await copyShownText(token.key, t("Key"));
    onCreated(token);
    onClose();
  };
  return (
    <FormDrawer
      opened
      help="users#tokens"
      title={t("New token for a user")}
      form={form}
      submitLabel={t("Create and copy the key")}
      onSubmit={save}
      onClose={onClose}
      width={560}
      changed={owner !== userId}
    >
      <FormSection
        title={t("Belongs to")}
        hint={t("The calls are charged to this user's balance. The user can see the key in the console.")}
      >
        <OwnerField
          known={userId === 0 ? undefined : { id: userId, name: `#${userId}` }}
          value={owner}
          onChange={(id) => {
            setOwner(id);
            setMissing(false);
          }}
          error={missing ? t("Choose a user") : undefined}
        />
        <TextInput
          label={t("Name")}
          autoComplete="off"
          withAsterisk
          maxLength={64}
          {...form.getInputProps("name")}
        />
      </FormSection>
      <FormSection title={t("Limits")} hint={t("The owner's balance always limits spending.")}>
        <TokenQuotaField form={form} />
        <ExpiryField form={form} />
      </FormSection>
      <FormSection
        title={t("Rate and spending limits")}
        hint={t("Limits for this key. Leave a field empty for no limit.")}
      >
        <RateFields form={form} token={undefined} />
      </FormSection>
      {owner === 0 ? null : <McpSection form={form} owner={owner} />}
    </FormDrawer>
  );
}

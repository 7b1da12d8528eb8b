/** Creates a customer in one step: an account, a key with a monthly budget, and a message to send. */
import { Role } from "@gateway/shared/accounts/roles";
import type { CreatedAdminToken } from "@gateway/shared/accounts/token";
import { UserInput } from "@gateway/shared/accounts/user";
import { pointsOf } from "@gateway/shared/billing/money";
import { NumberInput, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCreateUser } from "#features/users/api.ts";
import { GroupField, NameFields, InitialBalanceField } from "#features/users/user-form.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { asSent, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { useMayEnter } from "#lib/session.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { type NewAccount, NewAccountDialog } from "./new-account-dialog.tsx";
import { newPassword } from "./new-password.ts";

export function NewCustomer({ onClose }: { onClose: () => void }) {
  const [account, setMade] = useState<NewAccount | null>(null);
  if (account) return <NewAccountDialog account={account} onClose={onClose} />;
  return <CustomerForm onClose={onClose} onCreated={setMade} />;
}

function CustomerForm({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (made: NewAccount) => void;
}) {
  const { t } = useTranslation("users");
  const format = useFormat();
  const client = useQueryClient();
  const mayPay = useMayEnter("balances", "edit");
  const create = useCreateUser();
  const createKey = useMutation({
    mutationFn: (input: { user_id: number; name: string; setting: object }) =>
      http.post("/token/admin", asSent<CreatedAdminToken>(), input),
    gcTime: 0,
    meta: { quiet: true },
    onSettled: () => client.invalidateQueries({ queryKey: allTokens }),
  });
  const form = useSchemaForm(UserInput, {
    username: "",
    display_name: "",
    password: newPassword(),
    group: "default",
    role: Role.user,
    quota: 0,
  });
  const [budget, setBudget] = useState<number | string>("");
  const [tokenName, setTokenName] = useState("");
  const save = async () => {
    const input = UserInput.parse(form.getValues());
    const user = await create.mutateAsync(input);
    const made = { id: user.id, username: user.username, password: input.password };
    const monthly_spend = pointsOf(Number(budget) || 0, format.pointsPerUsd);
    try {
      const { key } = await createKey.mutateAsync({
        user_id: user.id,
        name: tokenName.trim() || user.username,
        setting: { rates: { monthly_spend } },
      });
      onCreated({ ...made, key });
    } catch (failed) {
      // The account exists: it is shown with its password, and the key can be created later.
      onCreated({ ...made, key: null, failed });
    }
  };
  return (
    <FormDrawer
      opened
      help="users#users"
      title={t("New customer")}
      form={form}
      submitLabel={t("Create customer")}
      onSubmit={save}
      onClose={onClose}
      width={520}
      changed={budget !== "" || tokenName !== ""}
    >
      <FormSection title={t("Account")} hint={t("A password is generated. You see it in the next step.")}>
        <NameFields form={form} />
        <GroupField {...form.getInputProps("group")} current={form.values.group} />
        {mayPay ? (
          <InitialBalanceField
            points={form.values.quota ?? 0}
            error={form.errors["quota"]}
            onChange={(quota) => form.setFieldValue("quota", quota)}
          />
        ) : null}
      </FormSection>
      <FormSection title={t("Key")}>
        <TextInput
          label={t("Name of the token")}
          placeholder={form.values.username ?? ""}
          autoComplete="off"
          maxLength={64}
          value={tokenName}
          onChange={(event) => setTokenName(event.currentTarget.value)}
        />
        <NumberInput
          label={t("Monthly budget in dollars")}
          description={t(
            "When it is used up, calls are refused until the next month. Leave it empty for no limit.",
          )}
          placeholder={t("No limit")}
          prefix="$"
          min={0}
          max={10_000_000}
          decimalScale={2}
          thousandSeparator=","
          allowNegative={false}
          value={budget}
          onChange={setBudget}
        />
      </FormSection>
    </FormDrawer>
  );
}

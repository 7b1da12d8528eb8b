import { Role } from "@gateway/shared/accounts/roles";
/** Creates a customer in one step: an account, a key with a monthly budget, and a message to send. */
import type { TokenAdminCreated } from "@gateway/shared/accounts/token";
import { UserInput } from "@gateway/shared/accounts/user";
import { pointsOf } from "@gateway/shared/billing/money";
import { Alert, Button, Group, Modal, NumberInput, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconCopy } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorReason } from "#lib/error-text.ts";
import { asSent, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";
import { useFormat } from "#lib/quota.ts";
import { useMayEnter } from "#lib/session.ts";
import { useServerAddress, useSystemName } from "#lib/site.ts";
import { copyText } from "#ui/copy.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { useCreateUser } from "./api.ts";
import { GroupField, NameFields, QuotaField } from "./user-form.tsx";

/** Returns a random password from letters and digits that are not easily confused. */
function newPassword(): string {
  const letters = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
  // 256 is not a multiple of 54. Bytes beyond the last multiple would make the first letters more frequent.
  const fair = 256 - (256 % letters.length);
  let password = "";
  while (password.length < 16)
    for (const byte of crypto.getRandomValues(new Uint8Array(32)))
      if (byte < fair && password.length < 16) password += letters[byte % letters.length];
  return password;
}

type Made = { id: number; username: string; password: string; key: string; failed: unknown };

export function NewCustomer({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<Made | null>(null);
  if (made) return <MadeDialog made={made} onClose={onClose} />;
  return <CustomerForm onClose={onClose} onMade={setMade} />;
}

function CustomerForm({ onClose, onMade }: { onClose: () => void; onMade: (made: Made) => void }) {
  const { t } = useTranslation();
  const format = useFormat();
  const client = useQueryClient();
  const mayPay = useMayEnter("balances", "edit");
  const create = useCreateUser();
  const createKey = useMutation({
    mutationFn: (input: { user_id: number; name: string; setting: object }) =>
      http.post("/token/admin", asSent<TokenAdminCreated>(), input),
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
      onMade({ ...made, key, failed: null });
    } catch (failed) {
      // The account exists: it is shown with its password, and the key can be created later.
      onMade({ ...made, key: "", failed });
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
          <QuotaField
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

function MadeDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const address = useServerAddress();
  const name = useSystemName();
  const message = [
    t("Your access to {{name}}", { name }),
    "",
    `${t("Console")}: ${address}/login`,
    `${t("Username")}: ${made.username}`,
    `${t("Password")}: ${made.password}`,
    "",
    `${t("API address")}: ${address}/v1`,
    ...(made.key === "" ? [] : [`${t("Key")}: ${made.key}`]),
  ].join("\n");
  return (
    <Modal
      opened
      onClose={onClose}
      size={560}
      fullScreen={phone}
      closeOnClickOutside={false}
      title={t("{{name}} created", { name: made.username })}
    >
      <Stack gap="md">
        {made.failed === null ? null : (
          <Alert color="amber" icon={<IconAlertTriangle size={17} />}>
            <FailedKey error={made.failed} />
          </Alert>
        )}
        <Textarea
          label={t("Message to send")}
          description={t("The password is shown only once. The customer can change it after signing in.")}
          readOnly
          autosize
          minRows={8}
          value={message}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" component={Link} to={`/panel/user/${made.id}`}>
            {t("Open the page")}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t("Done")}
          </Button>
          <Button
            data-autofocus
            leftSection={<IconCopy size={16} />}
            onClick={() => void copyText(message, t("Message"))}
          >
            {t("Copy the message")}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function FailedKey({ error }: { error: unknown }) {
  const { t } = useTranslation();
  return (
    <Text fz="sm">
      {t("The account was created, but the key was not: {{reason}}", { reason: errorReason(error, t) })}
    </Text>
  );
}

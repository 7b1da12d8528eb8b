import { PasskeyRename, type PasskeyRow } from "@gateway/shared/accounts/passkey";
import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason, issueText } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useAddPasskey, useRenamePasskey } from "./passkeys-api.ts";

export function AddPasskey({ asksPassword, onDone }: { asksPassword: boolean; onDone: () => void }) {
  const { t } = useTranslation("profile");
  const add = useAddPasskey();
  const [alias, setAlias] = useState("");
  const [password, setPassword] = useState("");
  const done = () => {
    toast.success(t("Passkey added"));
    onDone();
  };
  const wrong = add.error instanceof ApiError ? add.error.issues["password"] : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({ alias, password }, { onSuccess: done });
      }}
    >
      <Stack>
        <TextInput
          label={t("Name")}
          description={t("A name for the device, for example “Work laptop”.")}
          data-autofocus
          maxLength={100}
          value={alias}
          onChange={(event) => setAlias(event.currentTarget.value)}
        />
        {asksPassword ? (
          <PasswordInput
            label={t("Current password")}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
            value={password}
            error={wrong === undefined ? undefined : issueText(t, wrong)}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        ) : null}
        {add.error && wrong === undefined ? (
          <Text c="red" fz="sm" role="alert">
            {reasonOf(add.error, t)}
          </Text>
        ) : null}
        <DialogButtons>
          <Button type="submit" loading={add.isPending}>
            {t("Continue")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

/** Translates the browser's errors, which are technical English messages. */
function reasonOf(error: Error, t: TFunction<"profile">): string {
  if (error instanceof ApiError || error instanceof TypeError) return errorReason(error, t);
  if (error.name === "InvalidStateError") return t("This device already has a passkey for your account.");
  return t("Your device did not create a passkey. Try again.");
}

export function RenamePasskey({ passkey, onDone }: { passkey: PasskeyRow; onDone: () => void }) {
  const { t } = useTranslation("profile");
  const rename = useRenamePasskey();
  const form = useSchemaForm(PasskeyRename, { alias: passkey.alias });
  const submit = form.onSubmit(({ alias }) =>
    rename.mutate({ id: passkey.id, alias }, { onSuccess: onDone }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput label={t("Name")} data-autofocus maxLength={100} {...form.getInputProps("alias")} />
        <DialogButtons>
          <Button type="submit" loading={rename.isPending}>
            {t("Save")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

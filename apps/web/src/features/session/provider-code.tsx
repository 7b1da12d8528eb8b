/** The second step after a provider, for accounts with a second factor. */
import type { Self } from "@gateway/shared/accounts/session";
import { Alert, Button, Stack, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { finishWithCode } from "#lib/sign-in.ts";

export function ProviderCode({ onSignedIn }: { onSignedIn: (self: Self) => void }) {
  const { t } = useTranslation("session");
  const [code, setCode] = useState("");
  const send = useMutation({ mutationFn: finishWithCode, onSuccess: onSignedIn, meta: { quiet: true } });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (code.trim() !== "") send.mutate(code.trim());
      }}
    >
      <Stack>
        {send.error ? (
          <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
            {errorReason(send.error, t)}
          </Alert>
        ) : null}
        <TextInput
          label={t("Verification code")}
          description={t("No phone? Use a recovery code.")}
          autoComplete="one-time-code"
          data-autofocus
          autoFocus
          size="md"
          maxLength={32}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" size="md" loading={send.isPending} fullWidth mt="xs">
          {t("Sign in")}
        </Button>
      </Stack>
    </form>
  );
}

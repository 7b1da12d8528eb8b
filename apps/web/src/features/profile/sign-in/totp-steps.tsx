/** The dialogs of the second factor: password, QR code, confirmation. */
import type { TotpOffer } from "@gateway/shared/accounts/profile";
import { Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBeginTotp, useDisableTotp, useEnableTotp, useRenewRecoveryCodes } from "#features/profile/api.ts";
import { errorReason, issueText } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { CopyButton } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { QrCode } from "#ui/qr-code.tsx";
import { toast } from "#ui/toast.tsx";

type TotpStepProps = {
  onSubmit: () => void;
  action: string;
  loading: boolean;
  danger?: boolean;
  children: ReactNode;
};

function Step({ onSubmit, action, loading, danger = false, children }: TotpStepProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {children}
        <DialogButtons>
          <Button type="submit" loading={loading} color={danger ? "red" : undefined}>
            {action}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

type TotpFieldProps = { value: string; onChange: (value: string) => void; error: ReactNode };

function PasswordField({ value, onChange, error }: TotpFieldProps) {
  const { t } = useTranslation("profile");
  return (
    <PasswordInput
      label={t("Current password")}
      autoComplete="current-password"
      data-autofocus
      visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

function CodeField({ value, onChange, error, autofocus }: TotpFieldProps & { autofocus: boolean }) {
  const { t } = useTranslation("profile");
  return (
    <TextInput
      label={t("Verification code")}
      placeholder="123 456"
      autoComplete="one-time-code"
      inputMode="numeric"
      maxLength={32}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      {...(autofocus ? { "data-autofocus": true, autoFocus: true } : {})}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Returns the error of one field. With `takesRest` also an error without field errors. */
function useFieldError(error: unknown, field: string, takesRest: boolean): ReactNode {
  const { t } = useTranslation("profile");
  if (!error) return undefined;
  const fields = error instanceof ApiError ? error.issues : {};
  const own = fields[field];
  if (own !== undefined) return issueText(t, own);
  return takesRest && Object.keys(fields).length === 0 ? errorReason(error, t) : undefined;
}

export function EnableTotp(props: { asksPassword: boolean; onDone: (codes: string[]) => void }) {
  const { t } = useTranslation("profile");
  const begin = useBeginTotp();
  const [offer, setOffer] = useState<TotpOffer | null>(null);
  const [password, setPassword] = useState("");
  const passwordError = useFieldError(begin.error, "password", true);
  if (offer) return <ConfirmApp offer={offer} onDone={props.onDone} />;
  return (
    <Step
      action={t("Continue")}
      loading={begin.isPending}
      onSubmit={() => begin.mutate(password, { onSuccess: setOffer })}
    >
      <Text>{t("You need an authenticator app, for example on your phone.")}</Text>
      {props.asksPassword ? (
        <PasswordField value={password} onChange={setPassword} error={passwordError} />
      ) : null}
    </Step>
  );
}

function ConfirmApp({ offer, onDone }: { offer: TotpOffer; onDone: (codes: string[]) => void }) {
  const { t } = useTranslation("profile");
  const enable = useEnableTotp();
  const [code, setCode] = useState("");
  const error = useFieldError(enable.error, "code", true);
  return (
    <Step
      action={t("Enable")}
      loading={enable.isPending}
      onSubmit={() => enable.mutate(code, { onSuccess: (made) => onDone(made.recovery_codes) })}
    >
      <Text>{t("Scan the QR code with the app, or enter the secret.")}</Text>
      <Group gap="lg" align="center">
        <QrCode text={offer.uri} label={t("QR code for the authenticator app")} />
        <div style={{ flex: "1 1 180px", minWidth: 0 }}>
          <Text fz="sm" c="dimmed">
            {t("Secret")}
          </Text>
          <Group gap={4} wrap="nowrap" align="flex-start">
            <Text ff="monospace" fz="sm">
              {offer.secret.match(/.{1,4}/g)?.join(" ")}
            </Text>
            <CopyButton text={offer.secret} label={t("Secret")} size={24} />
          </Group>
        </div>
      </Group>
      <Text>{t("Then enter the code that the app shows.")}</Text>
      <CodeField value={code} onChange={setCode} error={error} autofocus />
    </Step>
  );
}

export function DisableTotp(props: { asksPassword: boolean; onDone: () => void }) {
  const { t } = useTranslation("profile");
  const disable = useDisableTotp();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const passwordError = useFieldError(disable.error, "password", false);
  const codeError = useFieldError(disable.error, "code", true);
  const done = () => {
    toast.success(t("Second factor removed"));
    props.onDone();
  };
  return (
    <Step
      danger
      action={t("Remove")}
      loading={disable.isPending}
      onSubmit={() => disable.mutate({ password, code }, { onSuccess: done })}
    >
      <Text>{t("Your password alone will be enough to sign in. Your recovery codes stop working.")}</Text>
      {props.asksPassword ? (
        <PasswordField value={password} onChange={setPassword} error={passwordError} />
      ) : null}
      <CodeField value={code} onChange={setCode} error={codeError} autofocus={!props.asksPassword} />
    </Step>
  );
}

export function RenewRecovery({ onDone }: { onDone: (codes: string[]) => void }) {
  const { t } = useTranslation("profile");
  const renew = useRenewRecoveryCodes();
  const [code, setCode] = useState("");
  const error = useFieldError(renew.error, "code", true);
  return (
    <Step
      action={t("Generate new codes")}
      loading={renew.isPending}
      onSubmit={() => renew.mutate(code, { onSuccess: (made) => onDone(made.recovery_codes) })}
    >
      <Text>{t("The current recovery codes stop working. Enter a code of your app to continue.")}</Text>
      <CodeField value={code} onChange={setCode} error={error} autofocus />
    </Step>
  );
}

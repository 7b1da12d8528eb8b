/** The account's email address. It is verified by a code before it is stored. */
import { EmailProof, EmailRequest } from "@gateway/shared/accounts/profile";
import { Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";
import { useAskEmailCode, useBindEmail } from "./api.ts";

const AddressForm = EmailRequest.pick({ email: true, password: true });
const CodeForm = EmailProof.pick({ code: true });

export function EmailSection() {
  const { t } = useTranslation("profile");
  const self = useSelf();
  const site = useSite();
  const [open, setOpen] = useState(false);
  // An address cannot be verified without a mail server.
  if (!self || !site?.sends_mail) return null;
  return (
    <Section
      title={t("Email")}
      hint={t("Used for password resets and low-balance reminders.")}
      aside={
        <Button variant="default" onClick={() => setOpen(true)}>
          {self.email === null ? t("Add address") : t("Change address")}
        </Button>
      }
    >
      <Text {...(self.email === null ? { c: "dimmed", fz: "sm" } : { fw: 500 })}>
        {self.email ?? t("None yet")}
      </Text>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        closeOnClickOutside={false}
        title={self.email === null ? t("Add email address") : t("Change the email address")}
      >
        <EmailSteps asksPassword={self.has_password} onDone={() => setOpen(false)} />
      </Modal>
    </Section>
  );
}

function EmailSteps({ asksPassword, onDone }: { asksPassword: boolean; onDone: () => void }) {
  const { t } = useTranslation("profile");
  const ask = useAskEmailCode();
  const [email, setEmail] = useState("");
  const form = useSchemaForm(AddressForm, { email: "", password: "" });
  if (email !== "") return <CodeStep email={email} onDone={onDone} onBack={() => setEmail("")} />;
  const submit = form.onSubmit((values) =>
    ask.mutate(values, {
      onSuccess: () => setEmail(values.email.trim()),
      onError: (error) => showFieldErrors(form, error, t),
    }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t("New address")}
          type="email"
          autoComplete="email"
          data-autofocus
          maxLength={254}
          {...form.getInputProps("email")}
        />
        {asksPassword ? (
          <PasswordInput
            label={t("Current password")}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
            {...form.getInputProps("password")}
          />
        ) : null}
        <Failure error={ask.error} />
        <DialogButtons>
          <Button type="submit" loading={ask.isPending}>
            {t("Send code")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

function CodeStep({ email, onDone, onBack }: { email: string; onDone: () => void; onBack: () => void }) {
  const { t } = useTranslation("profile");
  const bind = useBindEmail();
  const form = useSchemaForm(CodeForm, { code: "" });
  const submit = form.onSubmit(({ code }) =>
    bind.mutate(
      { email, code },
      {
        onSuccess: () => {
          toast.success(t("Email address saved"));
          onDone();
        },
        onError: (error) => showFieldErrors(form, error, t),
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>{t("A code was sent to {{email}}", { email })}</Text>
        <TextInput
          label={t("Verification code")}
          placeholder="123456"
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus
          maxLength={6}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          {...form.getInputProps("code")}
        />
        <Failure error={bind.error} />
        <DialogButtons>
          <Button variant="default" onClick={onBack}>
            {t("Back")}
          </Button>
          <Button type="submit" loading={bind.isPending}>
            {t("Save")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

/** The error of a request, unless a field already shows it. */
function Failure({ error }: { error: unknown }) {
  const { t } = useTranslation("profile");
  if (!error || (error instanceof ApiError && Object.keys(error.issues).length > 0)) return null;
  return (
    <Text c="red" fz="sm" role="alert">
      {errorReason(error, t)}
    </Text>
  );
}

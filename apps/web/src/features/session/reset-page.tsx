/** Requests a password reset. Shows the same message whether the account exists or not. */
import { Email } from "@gateway/shared/site/mail";
import { Alert, Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle, IconMailCheck } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/errors/error-text.ts";
import { useSite } from "#lib/site.ts";
import { useSchemaForm } from "#ui/form/form.ts";
import { useAskReset } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";
import { usePersonCheck } from "./person-check.tsx";

const ResetForm = z.object({ email: Email });

export default function ResetPage() {
  const { t } = useTranslation("session");
  const site = useSite();
  const ask = useAskReset();
  const check = usePersonCheck();
  const form = useSchemaForm(ResetForm, { email: "" });
  const back = (
    <Anchor component={Link} to="/login" fz="sm" ta="center">
      {t("Back to sign-in")}
    </Anchor>
  );

  if (site && !site.password_reset)
    return (
      <EntryCard
        title={t("Forgot your password?")}
        hint={t("This site cannot send email. Ask its operator for a new password.")}
      >
        {back}
      </EntryCard>
    );
  if (ask.isSuccess)
    return (
      <EntryCard title={t("Check your inbox")}>
        <Stack>
          <Alert color="green" variant="light" icon={<IconMailCheck size={18} />} role="status">
            {t(
              "If an account uses {{email}}, you will receive an email with a link. The link works once and expires after 30 minutes.",
              { email: form.values.email.trim() },
            )}
          </Alert>
          <Text fz="sm" c="dimmed">
            {t("No email after a few minutes? Check your spam folder.")}
          </Text>
          {back}
        </Stack>
      </EntryCard>
    );
  const submit = form.onSubmit(({ email }) => {
    check.pass((turnstile) => ask.mutate({ email, turnstile }));
  });
  return (
    <EntryCard
      title={t("Forgot your password?")}
      hint={t("We will email you a link to choose a new password.")}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {ask.error ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {errorReason(ask.error, t)}
            </Alert>
          ) : null}
          <TextInput
            label={t("Email")}
            type="email"
            autoComplete="email"
            autoFocus
            size="md"
            maxLength={254}
            {...form.getInputProps("email")}
          />
          {check.widget}
          <Button type="submit" size="md" loading={ask.isPending} fullWidth mt="xs">
            {t("Send the link")}
          </Button>
          {back}
        </Stack>
      </form>
    </EntryCard>
  );
}

/** The sign-up page, when the operator allows sign-up. */
import { RegisterInput } from "@gateway/shared/accounts/registration";
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { passwordsDiffer, passwordsMatch } from "#lib/repeated-password.ts";
import { useSelf } from "#lib/session.ts";
import { useSite, useSystemName } from "#lib/site.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useRegister, useSendCode } from "./api.ts";
import { EmailFields } from "./email-fields.tsx";
import { EntryCard } from "./entry-card.tsx";
import { forgetInviteCode, keepInviteCode } from "./invite-code.ts";
import { PasswordStrength } from "./password-strength.tsx";
import { usePersonCheck } from "./person-check.tsx";

const RegisterForm = RegisterInput.omit({ aff_code: true, turnstile: true })
  .extend({ repeat: z.string() })
  .refine(passwordsMatch, passwordsDiffer);

type EmailValues = { email?: string; verification_code?: string };

function missing(t: TFunction<"session">, { email, verification_code }: EmailValues): Record<string, string> {
  return {
    ...(email ? {} : { email: t("Enter your email address") }),
    ...(verification_code ? {} : { verification_code: t("Enter the code") }),
  };
}

export default function RegisterPage() {
  const { t } = useTranslation("session");
  const [search] = useSearchParams();
  const arrived = search.get("aff");
  const site = useSite();
  const self = useSelf();
  useEffect(() => {
    keepInviteCode(arrived);
  }, [arrived]);

  if (self) return <Navigate to="/panel/dashboard" replace />;
  if (site?.needs_setup) return <Navigate to="/setup" replace />;
  if (site && !(site.register_enabled && site.password_register))
    return (
      <EntryCard title={t("Sign-up is closed")} hint={t("Ask the operator of this site for an account.")}>
        <Anchor component={Link} to="/login">
          {t("Sign in")}
        </Anchor>
      </EntryCard>
    );
  return <Fields />;
}

function Fields() {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const name = useSystemName();
  const register = useRegister();
  const sendCode = useSendCode();
  const check = usePersonCheck();
  const verified = useSite()?.email_verification === true;
  const form = useSchemaForm(
    RegisterForm,
    { username: "", email: "", verification_code: "", password: "", repeat: "" },
    (values) => (verified ? missing(t, values) : {}),
  );
  const showErrors = (error: unknown) => showFieldErrors(form, error, t);
  const onFields = [register.error, sendCode.error].some(
    (error) => error instanceof ApiError && Object.keys(error.issues).length > 0,
  );
  const failure = onFields ? null : (register.error ?? sendCode.error);

  const send = () =>
    new Promise<boolean>((resolve) => {
      const { email } = form.values;
      if (email === "" || form.validateField("email").hasError) {
        if (email === "") form.setFieldError("email", t("Enter your email address"));
        resolve(false);
        return;
      }
      const passed = check.pass((turnstile) => {
        register.reset();
        sendCode.mutate(
          { email: email ?? "", turnstile },
          {
            onSuccess: () => toast.success(t("A code was sent to {{email}}", { email })),
            onError: showErrors,
            onSettled: (_done, error) => resolve(error === null),
          },
        );
      });
      if (!passed) resolve(false);
    });
  const submit = form.onSubmit(({ username, email, verification_code, password }) => {
    check.pass((turnstile) => {
      sendCode.reset();
      register.mutate(
        {
          username: username.trim(),
          password,
          aff_code: keepInviteCode(null),
          email: email ?? "",
          verification_code: verification_code ?? "",
          turnstile,
        },
        {
          onSuccess: () => {
            forgetInviteCode();
            toast.success(t("Welcome to {{name}}", { name }));
            void navigate("/panel/dashboard", { replace: true });
          },
          onError: showErrors,
        },
      );
    });
  });
  return (
    <EntryCard title={t("Sign up")} hint={t("Create an account at {{name}}", { name })}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {failure ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {errorReason(failure, t)}
            </Alert>
          ) : null}
          <TextInput
            label={t("Username")}
            description={t("At least 3 characters")}
            autoComplete="username"
            autoFocus
            size="md"
            maxLength={64}
            {...form.getInputProps("username")}
          />
          {verified ? (
            <EmailFields
              email={form.getInputProps("email")}
              code={form.getInputProps("verification_code")}
              sending={sendCode.isPending}
              onSend={send}
            />
          ) : null}
          <div>
            <PasswordInput
              label={t("Password")}
              description={t("At least 8 characters")}
              autoComplete="new-password"
              size="md"
              visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
              {...form.getInputProps("password")}
            />
            <PasswordStrength password={form.values.password} />
          </div>
          <PasswordInput
            label={t("Repeat the password")}
            autoComplete="new-password"
            size="md"
            visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
            {...form.getInputProps("repeat")}
          />
          {check.widget}
          <Button type="submit" size="md" loading={register.isPending} fullWidth mt="xs">
            {t("Create account")}
          </Button>
          <Text fz="sm" c="dimmed" ta="center">
            {withSpace(t("Already have an account?"))}
            <Anchor component={Link} to="/login" fz="inherit">
              {t("Sign in")}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </EntryCard>
  );
}

import { LoginInput } from "@gateway/shared/accounts/session";
/** Sign in with a password, and with a code when the account asks for one; afterwards back to where one wanted to go. */
import { because } from "@gateway/shared/errors/issue";
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useSelf } from "#lib/session.ts";
import { useSite, useSystemName } from "#lib/site.ts";
import { useSchemaForm } from "#ui/form/form.ts";
import { useSignIn } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { usePersonCheck } from "./person-check.tsx";
import { ThirdParty } from "./third-party.tsx";

/** Existing accounts sign in with what they have; these are the shortest lengths there can be. */
const LoginForm = LoginInput.omit({ turnstile: true }).extend({
  username: z.string().trim().min(1, because("username_required")).min(3, because("user_name_too_short")),
  password: z.string().min(1, because("password_required")).min(8, because("password_too_short")),
});

/** Only screens that ask for an account: a link must not send people elsewhere after signing in. */
function safeNext(next: string | null): string {
  return next && /^\/(panel|playground)(\/|$|\?)/.test(next) ? next : "/panel/dashboard";
}

export default function LoginPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const self = useSelf();
  const site = useSite();
  const name = useSystemName();
  const signIn = useSignIn();
  const check = usePersonCheck();
  const [asksCode, setAsksCode] = useState(false);
  const form = useSchemaForm(LoginForm, { username: "", password: "", code: "" });
  const next = safeNext(search.get("next"));

  if (self) return <Navigate to={next} replace />;
  if (site?.needs_setup) return <Navigate to="/setup" replace />;

  const submit = form.onSubmit((values) => {
    check.pass((turnstile) =>
      signIn.mutate(
        { ...values, turnstile },
        {
          onSuccess: () => void navigate(next, { replace: true }),
          onError: (error) => {
            if (error instanceof ApiError && error.code === "totp_required") setAsksCode(true);
          },
        },
      ),
    );
  });
  const asking = signIn.error instanceof ApiError && signIn.error.code === "totp_required";
  const alert =
    signIn.error && !asking ? (
      <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
        {errorReason(signIn.error, t)}
      </Alert>
    ) : null;
  const startOver = () => {
    setAsksCode(false);
    signIn.reset();
    form.setFieldValue("code", "");
  };

  if (asksCode)
    return (
      <EntryCard title={t("One more step")} hint={t("Enter the code of your authenticator app")}>
        <form onSubmit={submit} noValidate>
          <Stack>
            {alert}
            <TextInput
              label={t("Code")}
              description={t("No phone at hand? A recovery code works too.")}
              autoComplete="one-time-code"
              autoFocus
              size="md"
              maxLength={32}
              {...form.getInputProps("code")}
            />
            {check.widget}
            <Button type="submit" size="md" loading={signIn.isPending} fullWidth mt="xs">
              {t("Sign in")}
            </Button>
            <Anchor component="button" type="button" fz="sm" onClick={startOver}>
              {t("Use another account")}
            </Anchor>
          </Stack>
        </form>
      </EntryCard>
    );
  return (
    <EntryCard title={t("Sign in")} hint={t("Continue to {{name}}", { name })}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {alert}
          <TextInput
            label={t("Username or email")}
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps("username")}
          />
          <div>
            <PasswordInput
              label={t("Password")}
              autoComplete="current-password"
              size="md"
              visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
              {...form.getInputProps("password")}
            />
            {site?.password_reset ? (
              <Anchor component={Link} to="/reset" fz="sm" mt={6} display="inline-block">
                {t("Forgot your password?")}
              </Anchor>
            ) : null}
          </div>
          {check.widget}
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth mt="xs">
            {t("Sign in")}
          </Button>
          <PasskeyButton />
          {site?.register_enabled && site.password_register ? (
            <Text fz="sm" c="dimmed" ta="center">
              {t("No account yet?")}{" "}
              <Anchor component={Link} to="/register" fz="inherit">
                {t("Sign up")}
              </Anchor>
            </Text>
          ) : null}
        </Stack>
      </form>
      <ThirdParty next={next} />
    </EntryCard>
  );
}

/** Sign-in with a password, and a code if the account needs one. Returns to the requested page afterwards. */
import { Alert, Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { type ChangeEvent, type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { errorReason } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { useSelf } from "#lib/session.ts";
import { useSite, useSystemName } from "#lib/site.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { useSignIn } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";
import { PasskeyButton } from "./passkey-button.tsx";
import { usePersonCheck } from "./person-check.tsx";
import { ThirdParty } from "./third-party.tsx";

type LoginField = "username" | "password" | "code";
type LoginValues = Record<LoginField, string>;
type Problems = Partial<Record<LoginField, string | undefined>>;

/**
 * Checks only the minimum lengths: existing accounts may have any valid password. Written by hand, because
 * the form and schema libraries are larger than everything else on this page.
 */
function useProblems(): (values: LoginValues) => Problems {
  const { t } = useTranslation("session");
  const least = (text: string, length: number, missing: string, short: string) =>
    text === "" ? { text: missing } : text.length < length ? { text: short } : undefined;
  return ({ username, password }) => {
    const name = least(
      username.trim(),
      3,
      t("Username is required"),
      t("The username needs at least 3 characters"),
    );
    const secret = least(
      password,
      8,
      t("Password is required"),
      t("The password needs at least 8 characters"),
    );
    return {
      ...(name ? { username: name.text } : {}),
      ...(secret ? { password: secret.text } : {}),
    };
  };
}

/** Allows only screens that require an account: a link must not redirect users elsewhere after sign-in. */
function safeNext(next: string | null): string {
  return next && /^\/(panel|playground|device)(\/|$|\?)/.test(next) ? next : "/panel/dashboard";
}

export default function LoginPage() {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const self = useSelf();
  const site = useSite();
  const name = useSystemName();
  const signIn = useSignIn();
  const check = usePersonCheck();
  const [asksCode, setAsksCode] = useState(false);
  const [values, setValues] = useState<LoginValues>({ username: "", password: "", code: "" });
  const [problems, setProblems] = useState<Problems>({});
  const problemsOf = useProblems();
  const next = safeNext(search.get("next"));

  if (self) return <Navigate to={next} replace />;
  if (site?.needs_setup) return <Navigate to="/setup" replace />;

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const newProblems = problemsOf(values);
    setProblems(newProblems);
    const [wrong] = Object.keys(newProblems);
    if (wrong) return event.currentTarget.querySelector<HTMLElement>(`[name=${wrong}]`)?.focus();
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
  };
  const field = (name: LoginField) => ({
    name,
    value: values[name],
    error: problems[name],
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const { value } = event.currentTarget;
      setValues((known) => ({ ...known, [name]: value }));
      setProblems((known) => ({ ...known, [name]: undefined }));
    },
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
    setValues((known) => ({ ...known, code: "" }));
  };

  if (asksCode)
    return (
      <EntryCard title={t("One more step")} hint={t("Enter the code of your authenticator app")}>
        <form onSubmit={submit} noValidate>
          <Stack>
            {alert}
            <TextInput
              label={t("Verification code")}
              description={t("No phone? Use a recovery code.")}
              autoComplete="one-time-code"
              autoFocus
              size="md"
              maxLength={32}
              {...field("code")}
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
            maxLength={254}
            {...field("username")}
          />
          <div>
            <PasswordInput
              label={t("Password")}
              autoComplete="current-password"
              size="md"
              visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
              maxLength={200}
              {...field("password")}
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
        </Stack>
      </form>
      <ThirdParty next={next} />
      {site?.register_enabled && site.password_register ? (
        <Text fz="sm" c="dimmed" ta="center" mt="lg">
          {withSpace(t("No account yet?"))}
          <Anchor component={Link} to="/register" fz="inherit">
            {t("Sign up")}
          </Anchor>
        </Text>
      ) : null}
    </EntryCard>
  );
}

/** Sign in with a password; afterwards back to where the visitor wanted to go. */
import { LoginInput } from "@gateway/shared/session";
import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/error-text.ts";
import { useSelf } from "#lib/session.ts";
import { useSite, useSystemName } from "#lib/site.ts";
import { useSchemaForm } from "#ui/form.ts";
import { useSignIn } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";

/** Existing accounts sign in with what they have; these are the shortest lengths there can be. */
const LoginForm = LoginInput.extend({
  username: z.string().trim().min(3),
  password: z.string().min(8),
});

/** Only addresses of the console: a link must not send people elsewhere after signing in. */
function safeNext(next: string | null): string {
  return next && /^\/panel(\/|$|\?)/.test(next) ? next : "/panel/dashboard";
}

export default function LoginPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const self = useSelf();
  const site = useSite();
  const name = useSystemName();
  const signIn = useSignIn();
  const form = useSchemaForm(LoginForm, { username: "", password: "" });
  const next = safeNext(search.get("next"));

  if (self) return <Navigate to={next} replace />;
  if (site?.needs_setup) return <Navigate to="/setup" replace />;

  const submit = form.onSubmit((values) =>
    signIn.mutate(values, { onSuccess: () => void navigate(next, { replace: true }) }),
  );
  return (
    <EntryCard title={t("Sign in")} hint={t("Continue to {{name}}", { name })}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {signIn.error ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {errorReason(signIn.error, t)}
            </Alert>
          ) : null}
          <TextInput
            label={t("Username or email")}
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps("username")}
          />
          <PasswordInput
            label={t("Password")}
            autoComplete="current-password"
            size="md"
            visibilityToggleButtonProps={{ "aria-label": t("Show password") }}
            {...form.getInputProps("password")}
          />
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth mt="xs">
            {t("Sign in")}
          </Button>
        </Stack>
      </form>
    </EntryCard>
  );
}

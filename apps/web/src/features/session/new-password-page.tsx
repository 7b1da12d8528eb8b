/** The target of the mailed link: sets a new password. */
import { Password } from "@gateway/shared/accounts/user";
import { Alert, Anchor, Button, PasswordInput, Stack } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { passwordsDiffer, passwordsMatch } from "#lib/repeated-password.ts";
import { showFieldErrors, useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useReset } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";
import { PasswordStrength } from "./password-strength.tsx";

const NewPasswordForm = z
  .object({ password: Password, repeat: z.string() })
  .refine(passwordsMatch, passwordsDiffer);

export default function NewPasswordPage() {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const [search] = useSearchParams();
  const [link] = useState({ email: search.get("email") ?? "", token: search.get("token") ?? "" });
  const reset = useReset();
  const form = useSchemaForm(NewPasswordForm, { password: "", repeat: "" });

  // Addresses are shared, photographed and stored, so the secret token is removed from it.
  useEffect(() => {
    if (search.has("token")) void navigate("/user/reset", { replace: true });
  }, [search, navigate]);

  const askAgain = (
    <Anchor component={Link} to="/reset" fz="sm" ta="center">
      {t("Request a new link")}
    </Anchor>
  );
  if (link.email === "" || link.token === "")
    return (
      <EntryCard
        title={t("Invalid link")}
        hint={t("Copy the complete link from the email, or request a new one.")}
      >
        {askAgain}
      </EntryCard>
    );
  const submit = form.onSubmit(({ password }) =>
    reset.mutate(
      { ...link, password },
      {
        onSuccess: () => {
          toast.success(t("Password changed. Sign in with it."));
          void navigate("/login", { replace: true });
        },
        onError: (error) => showFieldErrors(form, error, t),
      },
    ),
  );
  const onField = reset.error instanceof ApiError && Object.keys(reset.error.issues).length > 0;
  const toggle = { visibilityToggleButtonProps: { "aria-label": t("Show password") } };
  return (
    <EntryCard
      title={t("Choose a new password")}
      hint={t("For {{email}}. All devices will be signed out.", { email: link.email })}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {reset.error && !onField ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {errorReason(reset.error, t)}
            </Alert>
          ) : null}
          {/* For password managers, which keep the password under this name. */}
          <input type="hidden" name="username" autoComplete="username" value={link.email} />
          <div>
            <PasswordInput
              label={t("New password")}
              description={t("At least 8 characters")}
              autoComplete="new-password"
              autoFocus
              size="md"
              {...toggle}
              {...form.getInputProps("password")}
            />
            <PasswordStrength password={form.values.password} />
          </div>
          <PasswordInput
            label={t("Repeat the new password")}
            autoComplete="new-password"
            size="md"
            {...toggle}
            {...form.getInputProps("repeat")}
          />
          <Button type="submit" size="md" loading={reset.isPending} fullWidth mt="xs">
            {t("Save password")}
          </Button>
          {reset.error && !onField ? askAgain : null}
        </Stack>
      </form>
    </EntryCard>
  );
}

/** First run: creates the root account with the one-time link that the server printed. */
import { SetupInput } from "@gateway/shared/accounts/session";
import {
  Alert,
  Anchor,
  Button,
  Checkbox,
  Code,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconAlertCircle, IconTerminal2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, Navigate, useNavigate, useSearchParams } from "react-router-dom";
import { z } from "zod";
import { errorReason } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { passwordsDiffer, passwordsMatch } from "#lib/repeated-password.ts";
import { useSelf } from "#lib/session.ts";
import { useSite } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { setupLinkQuery, useSetup } from "./api.ts";
import { EntryCard } from "./entry-card.tsx";

const SetupForm = SetupInput.omit({ token: true })
  .extend({ repeat: z.string() })
  .refine(passwordsMatch, passwordsDiffer);

export default function SetupPage() {
  const { t } = useTranslation("session");
  const [search] = useSearchParams();
  const token = search.get("token") ?? "";
  const site = useSite();
  const self = useSelf();

  if (self) return <Navigate to="/panel/dashboard" replace />;
  if (site && !site.needs_setup)
    return (
      <EntryCard title={t("Already set up")} hint={t("This installation already has an administrator.")}>
        <Anchor component={Link} to="/login">
          {t("Sign in")}
        </Anchor>
      </EntryCard>
    );
  return token ? <CheckedLink token={token} /> : <WhereTheLinkIs />;
}

/** Reports an invalid link before the user types anything. */
function CheckedLink({ token }: { token: string }) {
  const { t } = useTranslation("session");
  const link = useQuery(setupLinkQuery(token));
  if (link.isSuccess) return <SetupFields token={token} />;
  if (link.isPending)
    return <EntryCard title={t("Create the administrator")}>{<Skeleton height={240} />}</EntryCard>;
  const final = link.error instanceof ApiError && link.error.code === "wrong_credentials";
  return (
    <EntryCard title={final ? t("This link is not valid") : t("Create the administrator")}>
      {final ? (
        <Stack gap="sm">
          <Text>{t("The set-up link is wrong, was used before, or is older than a day.")}</Text>
          <Text c="dimmed" fz="sm">
            {t("Restart the server. It prints a new link in its terminal.")}
          </Text>
        </Stack>
      ) : (
        <LoadError error={link.error} onRetry={() => void link.refetch()} />
      )}
    </EntryCard>
  );
}

function WhereTheLinkIs() {
  const { t } = useTranslation("session");
  return (
    <EntryCard title={t("Welcome")} hint={t("This installation has no administrator yet.")}>
      <Stack gap="sm">
        <Text>
          {t("When it started, the server printed a one-time set-up link in its terminal. Open that link:")}
        </Text>
        <Code block>
          <IconTerminal2 size={14} style={{ verticalAlign: "-2px" }} />{" "}
          {new URL("setup", document.baseURI).href}?token=…
        </Code>
        <Text c="dimmed" fz="sm">
          {t("Lost the link? Restart the server to print a new one.")}
        </Text>
      </Stack>
    </EntryCard>
  );
}

function SetupFields({ token }: { token: string }) {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const setup = useSetup();
  const site = useSite();
  const form = useSchemaForm(SetupForm, { username: "", password: "", repeat: "", demo: true });
  const submit = form.onSubmit(({ username, password, demo }) =>
    setup.mutate(
      { token, username: username.trim(), password, demo: demo && site?.demo_offered },
      { onSuccess: () => void navigate("/panel/dashboard", { replace: true }) },
    ),
  );
  return (
    <EntryCard
      title={t("Create the administrator")}
      hint={t("This account has all permissions. You can change its name and password later.")}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {setup.error ? (
            <Alert color="red" variant="light" icon={<IconAlertCircle size={18} />} role="alert">
              {errorReason(setup.error, t)}
            </Alert>
          ) : null}
          <TextInput
            label={t("Username")}
            description={t("At least 3 characters")}
            autoComplete="username"
            autoFocus
            size="md"
            {...form.getInputProps("username")}
          />
          <PasswordInput
            label={t("Password")}
            description={t("At least 8 characters")}
            autoComplete="new-password"
            size="md"
            {...form.getInputProps("password")}
          />
          <PasswordInput
            label={t("Repeat the password")}
            autoComplete="new-password"
            size="md"
            {...form.getInputProps("repeat")}
          />
          {site?.demo_offered ? (
            <Checkbox
              label={t("Enable the demo provider")}
              description={t(
                "A simulated provider that needs no API key, so that you can make your first call now. You can turn it off in the settings.",
              )}
              {...form.getInputProps("demo", { type: "checkbox" })}
            />
          ) : null}
          <Button type="submit" size="md" loading={setup.isPending} fullWidth mt="xs">
            {t("Create and sign in")}
          </Button>
          <Anchor
            component={Link}
            to={`/setup/import?token=${encodeURIComponent(token)}`}
            fz="sm"
            ta="center"
          >
            {t("Migrate from another gateway")}
          </Anchor>
        </Stack>
      </form>
    </EntryCard>
  );
}

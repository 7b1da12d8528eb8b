/** The callback page of identity providers: completes the sign-in or the binding, and redirects. */
import type { Self } from "@gateway/shared/accounts/session";
import { Group, Loader, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useNavigate, useParams, useSearchParams } from "react-router-dom";
import { errorReason } from "#lib/errors/error-text.ts";
import { startSession, wasSignedIn } from "#lib/session.ts";
import { finishProviderSignIn, readNextPage, mayPass, requiresCode } from "#lib/sign-in.ts";
import { toast } from "#ui/toast.tsx";
import { EntryCard } from "./entry-card.tsx";
import { forgetInviteCode, keepInviteCode } from "./invite-code.ts";
import { ProviderCode } from "./provider-code.tsx";

const TRIES = 3;
const bindings = "/panel/profile?tab=security";
/** Providers that redirect back; WeChat does not. */
const sendBack = new Set(["github", "lark", "oidc"]);

export default function CallbackPage() {
  const { provider: builtIn = "", slug } = useParams();
  const provider = slug === undefined ? builtIn : `oidc/${slug}`;
  return slug !== undefined || sendBack.has(builtIn) ? (
    <Arrival provider={provider} />
  ) : (
    <Navigate to="/404" replace />
  );
}

function Arrival({ provider }: { provider: string }) {
  const { t } = useTranslation("session");
  const navigate = useNavigate();
  const client = useQueryClient();
  const [search] = useSearchParams();
  const { data, error, failureCount } = useQuery({
    queryKey: ["sign-in", provider, search.toString()],
    queryFn: () => finishProviderSignIn(provider, search, keepInviteCode(null)),
    retry: (failures, reason) => failures < TRIES - 1 && mayPass(reason),
    retryDelay: (failures) => 1_000 * (failures + 1),
    retryOnMount: false,
    staleTime: Infinity,
    meta: { quiet: true },
  });

  const asksCode = requiresCode(error);

  const enter = (self: Self) => {
    forgetInviteCode();
    startSession(client, self);
    void navigate(readNextPage(), { replace: true });
  };

  const arrive = useEffectEvent((self: Self | null) => {
    if (self !== null) return enter(self);
    toast.success(t("Account connected"));
    void navigate(bindings, { replace: true });
  });
  useEffect(() => {
    if (data !== undefined) arrive(data);
  }, [data]);

  useEffect(() => {
    if (!error || asksCode) return;
    toast.error(t("Error: {{message}}", { message: errorReason(error, t) }));
    const to = wasSignedIn() ? bindings : "/login";
    const timer = setTimeout(() => void navigate(to, { replace: true }), 2_000);
    return () => clearTimeout(timer);
  }, [error, asksCode, navigate, t]);

  if (asksCode)
    return (
      <EntryCard title={t("One more step")} hint={t("Enter the code of your authenticator app")}>
        <ProviderCode onSignedIn={enter} />
      </EntryCard>
    );

  const trying =
    failureCount === 0
      ? t("Processing…")
      : t("Sign-in failed. Trying again ({{number}} of {{most}})…", {
          number: failureCount + 1,
          most: TRIES,
        });
  return (
    <EntryCard
      title={error ? t("Sign-in failed") : t("Signing in")}
      hint={error ? errorReason(error, t) : undefined}
    >
      <Group gap="sm" wrap="nowrap" role="status">
        <Loader size="sm" />
        <Text>
          {error
            ? t("{{count}} attempts failed. Returning to the sign-in page…", { count: failureCount })
            : trying}
        </Text>
      </Group>
    </EntryCard>
  );
}

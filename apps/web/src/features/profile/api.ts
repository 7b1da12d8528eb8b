/** Changes of the user to their own account. */
import type {
  AccessToken,
  EmailProof,
  EmailRequest,
  PasswordChange,
  ProfileInput,
  RecoveryCodes,
  TotpOffer,
} from "@gateway/shared/accounts/profile";
import type { Self, SessionRow } from "@gateway/shared/accounts/session";
import type { IdentityProviderKey, IdentityRow } from "@gateway/shared/accounts/sign-in";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";
import { currentLanguage } from "#lib/i18n.ts";
import { type Failing, inForm } from "#lib/query-client.ts";
import { openSession, selfQuery } from "#lib/session.ts";
import { signInWithWeChatCode, redirectToProvider } from "#lib/sign-in.ts";
import { statusQuery } from "#lib/site.ts";

const nothing = asSent<null>();

export const sessionsQuery = queryOptions({
  queryKey: ["own-sessions"],
  queryFn: () => http.get("/user/self/sessions", asList<SessionRow[]>()),
});

/** @param meta `inForm` when a form shows the field errors */
export function useChangeProfile(meta: Failing = {}) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: ProfileInput) => http.put("/user/self", asSent<Self>(), input),
    meta,
    onSuccess: (self) => openSession(client, self),
  });
}

/** Dialogs show their errors themselves. */
const inDialog = { quiet: true };

/** Refetches the account after the change. The response is not cached. */
function useAccountMutation<Input, Output>(
  mutationFn: (input: Input) => Promise<Output>,
  meta: Failing = {},
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    meta,
    gcTime: 0,
    onSuccess: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: selfQuery.queryKey }),
        client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
      ]),
  });
}

export const useChangePassword = () =>
  useAccountMutation((input: PasswordChange) => http.put("/user/self/password", nothing, input), inForm);

/** Ends one session; without an id, all except the current one. */
export const useEndSession = () =>
  useAccountMutation((id: string | undefined) =>
    http.del(`/user/self/sessions${id === undefined ? "" : `/${id}`}`, nothing),
  );

export const useRenewAccessToken = () =>
  useAccountMutation(
    (password: string) => http.post("/user/token", asSent<AccessToken>(), { password }),
    inDialog,
  );

export const useRevokeAccessToken = () => useAccountMutation(() => http.del("/user/token", nothing));

export const useBeginTotp = () =>
  useAccountMutation(
    (password: string) => http.post("/user/self/totp", asSent<TotpOffer>(), { password }),
    inDialog,
  );

export const useEnableTotp = () =>
  useAccountMutation(
    (code: string) => http.post("/user/self/totp/enable", asSent<RecoveryCodes>(), { code }),
    inDialog,
  );

export const useRenewRecoveryCodes = () =>
  useAccountMutation(
    (code: string) => http.post("/user/self/totp/recovery", asSent<RecoveryCodes>(), { code }),
    inDialog,
  );

export const useDisableTotp = () =>
  useAccountMutation(
    (input: { password: string; code: string }) => http.post("/user/self/totp/disable", nothing, input),
    inDialog,
  );

export const useAskEmailCode = () =>
  useMutation({
    mutationFn: (input: Omit<EmailRequest, "language">) =>
      http.post("/user/self/email/code", nothing, { ...input, language: currentLanguage() }),
    meta: inDialog,
  });

export const useBindEmail = () =>
  useAccountMutation((input: EmailProof) => http.put("/user/self/email", asSent<Self>(), input), inDialog);

export const identitiesQuery = queryOptions({
  queryKey: ["own-identities"],
  queryFn: () => http.get("/user/self/identities", asList<IdentityRow[]>()),
});

/** Allows this session to link an external account for the next minutes. */
export const confirmOwner = (password: string) =>
  http.post("/user/self/identities/confirm", nothing, { password });

/** Redirects to the provider, which returns the browser to `/oauth/<provider>`. */
export function useBind() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: Exclude<IdentityProviderKey, "wechat">) => {
      await redirectToProvider(id, await client.ensureQueryData(statusQuery));
      // Pending until the browser has left the page.
      return new Promise<void>(() => {});
    },
  });
}

function useBindingMutation(mutationFn: (input: string) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    meta: { quiet: true },
    onSuccess: () => client.invalidateQueries({ queryKey: identitiesQuery.queryKey }),
  });
}

export const useUnbind = () => useBindingMutation((type) => http.post("/user/unbind", nothing, { type }));

export const useBindWeChat = () => useBindingMutation((code) => signInWithWeChatCode(code, ""));

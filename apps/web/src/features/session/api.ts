import type { PasskeyOptions } from "@gateway/shared/accounts/passkey";
import type { PasswordReset } from "@gateway/shared/accounts/password-reset";
import type { RegisterInput } from "@gateway/shared/accounts/registration";
import type { LoginInput, Self, SetupInput } from "@gateway/shared/accounts/session";
import type { MailRequest } from "@gateway/shared/site/mail";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { currentLanguage } from "#lib/i18n.ts";
import { openSession, startSession } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";

const signedIn = asSent<Self>();
const nothing = asSent<unknown>();

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: LoginInput) => http.post("/user/login", signedIn, input),
    onSuccess: (self) => startSession(client, self),
    meta: { quiet: true },
  });
}

export function useRegister() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: RegisterInput) => http.post("/user/register", signedIn, input),
    onSuccess: (self) => openSession(client, self),
    meta: { quiet: true },
  });
}

/** Whether the setup link is valid. The token is sent in the body, because addresses are logged. */
export const setupLinkQuery = (token: string) =>
  queryOptions({
    queryKey: ["setup-link", token],
    queryFn: () => http.post("/setup/check", nothing, { token }),
    staleTime: Infinity,
    meta: { quiet: true },
  });

export function useSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: SetupInput) => http.post("/setup", signedIn, input),
    onSuccess: async (self) => {
      openSession(client, self);
      await client.invalidateQueries({ queryKey: statusQuery.queryKey });
    },
    meta: { quiet: true },
  });
}

/** Mails are sent in the language of the screen. */
const sendMail = (path: string) => (input: Omit<MailRequest, "language">) =>
  http.post(path, nothing, { ...input, language: currentLanguage() });

export const useSendCode = () =>
  useMutation({ mutationFn: sendMail("/verification"), meta: { quiet: true } });

export const useAskReset = () =>
  useMutation({ mutationFn: sendMail("/reset_password"), meta: { quiet: true } });

export const useReset = () =>
  useMutation({
    mutationFn: (input: PasswordReset) => http.post("/user/reset", nothing, input),
    meta: { quiet: true },
  });

/** The browser asks for the passkey, and the device verifies the user. */
export function usePasskeySignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const { startAuthentication } = await import("@simplewebauthn/browser");
      const options = await http.post("/webauthn/login/begin", asSent<PasskeyOptions>());
      const answer = await startAuthentication({
        optionsJSON: options,
      });
      return http.post("/webauthn/login/finish", signedIn, answer);
    },
    onSuccess: (self) => startSession(client, self),
    meta: { quiet: true },
  });
}

import type { RegisterInput } from "@gateway/shared/registration";
import type { LoginInput, SetupInput } from "@gateway/shared/session";
import { Self } from "@gateway/shared/session";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { http } from "#lib/http.ts";
import { offerLanguage } from "#lib/i18n.ts";
import { openSession } from "#lib/session.ts";
import { statusQuery } from "#lib/site.ts";

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: LoginInput) => http.post("/user/login", Self, input),
    onSuccess: (self) => {
      void offerLanguage(self.language);
      openSession(client, self);
    },
    meta: { quiet: true },
  });
}

export function useRegister() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: RegisterInput) => http.post("/user/register", Self, input),
    onSuccess: (self) => openSession(client, self),
    meta: { quiet: true },
  });
}

export function useSetup() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: SetupInput) => http.post("/setup", Self, input),
    onSuccess: async (self) => {
      openSession(client, self);
      await client.invalidateQueries({ queryKey: statusQuery.queryKey });
    },
    meta: { quiet: true },
  });
}

import type { PasskeyRow } from "@gateway/shared/accounts/passkey";
import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { asList, asSent, http } from "#lib/http.ts";

const nothing = asSent<null>();

export const passkeysQuery = queryOptions({
  queryKey: ["own-passkeys"],
  queryFn: () => http.get("/webauthn/credentials", asList<PasskeyRow[]>()),
});

function usePasskeyMutation<Input, Output>(mutationFn: (input: Input) => Promise<Output>, quiet = false) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    meta: { quiet },
    onSuccess: () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey }),
  });
}

/** The browser's own dialog verifies the user; the device creates the key. */
export const useAddPasskey = () =>
  usePasskeyMutation(async ({ alias, password }: { alias: string; password: string }) => {
    const { startRegistration } = await import("@simplewebauthn/browser");
    const optionsJSON = await http.post(
      "/webauthn/registration/begin",
      asSent<PublicKeyCredentialCreationOptionsJSON>(),
      { password },
    );
    const answer = await startRegistration({ optionsJSON });
    return http.post("/webauthn/registration/finish", asSent<PasskeyRow>(), { ...answer, alias });
  }, true);

export const useRenamePasskey = () =>
  usePasskeyMutation(({ id, alias }: { id: number; alias: string }) =>
    http.patch(`/webauthn/credentials/${id}`, nothing, { alias }),
  );

export const useRemovePasskey = () =>
  usePasskeyMutation((id: number) => http.del(`/webauthn/credentials/${id}`, nothing), true);

/** A command-line device that signs in, found by the code that it shows. */
import type { WaitingDevice } from "@gateway/shared/accounts/device";
import type { TokenForm } from "@gateway/shared/accounts/token";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { asSent, http } from "#lib/http.ts";
import { allTokens } from "#lib/queries/tokens.ts";

/** The screen shows every error itself. */
const onScreen = { quiet: true };

const pathOf = (code: string) => `/device/${encodeURIComponent(code)}`;

export function useFindDevice() {
  return useMutation({
    mutationFn: (code: string) => http.get(pathOf(code), asSent<WaitingDevice>()),
    gcTime: 0,
    meta: onScreen,
  });
}

export function useApproveDevice(code: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: TokenForm) => http.post(`${pathOf(code)}/approve`, asSent<unknown>(), input),
    meta: onScreen,
    onSuccess: () => client.invalidateQueries({ queryKey: allTokens }),
  });
}

export function useDenyDevice(code: string) {
  return useMutation({
    mutationFn: () => http.post(`${pathOf(code)}/deny`, asSent<unknown>()),
    meta: onScreen,
  });
}

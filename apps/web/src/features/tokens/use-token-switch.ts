/** Enables or disables a token, and offers to undo it. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { TokenStatus } from "@gateway/shared/accounts/token-status";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { allTokens } from "#lib/queries/tokens.ts";
import { offerUndo } from "#ui/undo.tsx";
import { switchToken } from "./api.ts";

/** Name of a token for `offerUndo` and `LastChange`. */
export const undoNameOf = (id: number) => `token:${id}`;

/** @param own the user's own token; otherwise an administrator changes it */
export function useTokenSwitch(
  { id, name, status: before }: Pick<TokenRow, "id" | "name" | "status">,
  own: boolean,
) {
  const { t } = useTranslation("tokens");
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries({ queryKey: allTokens });
  return useMutation({
    mutationFn: (on: boolean) => switchToken(id, on, own),
    onSuccess: (_, on) => {
      // An expired token or one without quota has a state that no one sets.
      if (before !== TokenStatus.enabled && before !== TokenStatus.disabled) return;
      const message = on ? t("{{name}} is enabled", { name }) : t("{{name}} is disabled", { name });
      offerUndo(undoNameOf(id), message, async () => {
        await switchToken(id, before === TokenStatus.enabled, own);
        await refresh();
      });
    },
    onSettled: refresh,
  });
}

/** Sign-in with the code that the WeChat account sent, and a second factor if the account has one. */
import type { Self } from "@gateway/shared/accounts/session";
import { Modal } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { WeChatDialog } from "#components/wechat-dialog.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { startSession } from "#lib/session.ts";
import { signInWithWeChatCode, requiresCode } from "#lib/sign-in.ts";
import { useSite } from "#lib/site.ts";
import { forgetInviteCode, keepInviteCode } from "./invite-code.ts";
import { ProviderCode } from "./provider-code.tsx";

export function WeChatSignIn({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("session");
  const site = useSite();
  const client = useQueryClient();
  const enter = (self: Self) => {
    forgetInviteCode();
    // The login page redirects automatically once there is a session.
    startSession(client, self);
  };
  const signIn = useMutation({
    mutationFn: (code: string) => signInWithWeChatCode(code, keepInviteCode(null)),
    onSuccess: (self) => {
      if (self) enter(self);
    },
    meta: { quiet: true },
  });
  if (requiresCode(signIn.error))
    return (
      <Modal opened onClose={onClose} title={t("One more step")} size={400}>
        <ProviderCode onSignedIn={enter} />
      </Modal>
    );
  return (
    <WeChatDialog
      onClose={onClose}
      picture={site?.wechat_qrcode ?? ""}
      action={t("Sign in")}
      onSubmit={(code) => signIn.mutate(code)}
      loading={signIn.isPending}
      error={signIn.error ? errorReason(signIn.error, t) : undefined}
    />
  );
}

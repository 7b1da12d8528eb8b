/** The buttons below the password form: one for every way of signing in that the operator has set up. */
import type { Self } from "@gateway/shared/accounts/session";
import type { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import { Button, Divider, Modal, SimpleGrid } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { IdentityProviderIcon, identityProviderTitle } from "#components/identity-provider.tsx";
import { errorReason } from "#lib/error-text.ts";
import { openSession } from "#lib/session.ts";
import { comeBackFromWeChat, keepNext, leaveFor, offeredProviders, wantsCode } from "#lib/sign-in.ts";
import { useSite } from "#lib/site.ts";
import { LatePart } from "#ui/late-part.tsx";
import { forgetInviteCode, keepInviteCode } from "./invite-code.ts";
import { ProviderCode } from "./provider-code.tsx";

const WeChatDialog = lazy(async () => ({
  default: (await import("#components/wechat-dialog.tsx")).WeChatDialog,
}));

/** @param next where to go once signed in */
export function ThirdParty({ next }: { next: string }) {
  const { t } = useTranslation();
  const site = useSite();
  const [scanning, setScanning] = useState(false);
  const leave = useMutation({
    mutationFn: async (id: Exclude<IdentityProviderId, "wechat">) => {
      keepNext(next);
      if (site) await leaveFor(id, site);
      // The browser is on its way; the button stays busy until it is gone.
      return new Promise<void>(() => {});
    },
  });
  const offers = offeredProviders(site);
  if (offers.length === 0) return null;
  return (
    <>
      <Divider my="lg" label={t("or sign in with")} labelPosition="center" />
      <SimpleGrid cols={offers.length > 1 ? 2 : 1} spacing="sm">
        {offers.map((id) => (
          <Button
            key={id}
            variant="default"
            size="md"
            fw={500}
            leftSection={<IdentityProviderIcon id={id} />}
            loading={leave.isPending && leave.variables === id}
            disabled={leave.isPending && leave.variables !== id}
            // The password form must not complain about what is not being used.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => (id === "wechat" ? setScanning(true) : leave.mutate(id))}
          >
            {t(identityProviderTitle(id))}
          </Button>
        ))}
      </SimpleGrid>
      {scanning ? <WeChatSignIn onClose={() => setScanning(false)} /> : null}
    </>
  );
}

function WeChatSignIn({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const site = useSite();
  const client = useQueryClient();
  const enter = (self: Self) => {
    forgetInviteCode();
    // The login page goes on by itself once there is a session.
    openSession(client, self);
  };
  const signIn = useMutation({
    mutationFn: (code: string) => comeBackFromWeChat(code, keepInviteCode(null)),
    onSuccess: (self) => {
      if (self) enter(self);
    },
    meta: { quiet: true },
  });
  if (wantsCode(signIn.error))
    return (
      <Modal opened onClose={onClose} title={t("One more step")} size={400}>
        <ProviderCode onSignedIn={enter} />
      </Modal>
    );
  return (
    <LatePart>
      <WeChatDialog
        onClose={onClose}
        picture={site?.wechat_qrcode ?? ""}
        action={t("Sign in")}
        onSubmit={(code) => signIn.mutate(code)}
        loading={signIn.isPending}
        error={signIn.error ? errorReason(signIn.error, t) : undefined}
      />
    </LatePart>
  );
}

import { Button } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/errors/error-text.ts";
import { useSite } from "#lib/site.ts";
import { toast } from "#ui/toast.tsx";
import { usePasskeySignIn } from "./api.ts";

/**
 * Signs in without a name or a password. Hidden when the
 * browser has no passkeys: plain http, or an old browser.
 */
export function PasskeyButton() {
  const { t } = useTranslation("session");
  const site = useSite();
  const signIn = usePasskeySignIn();
  if (!site?.passkey_login || !("PublicKeyCredential" in window)) return null;
  const act = () =>
    signIn.mutate(undefined, {
      onError: (error) => {
        // The browser does not distinguish "no passkey" from "cancelled", so neither is shown as an error.
        if (error.name === "NotAllowedError" || error.name === "AbortError")
          toast.info(t("No passkey was used."));
        else toast.error(t("Error: {{message}}", { message: errorReason(error, t) }));
      },
    });
  return (
    <Button
      variant="default"
      size="md"
      fullWidth
      leftSection={<IconFingerprint size={18} stroke={1.7} />}
      loading={signIn.isPending}
      // The password form must not show errors of fields that are not used.
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      {t("Sign in with a passkey")}
    </Button>
  );
}

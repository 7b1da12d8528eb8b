import { Button } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { errorReason } from "#lib/error-text.ts";
import { useSite } from "#lib/site.ts";
import { toast } from "#ui/toast.tsx";
import { usePasskeySignIn } from "./api.ts";

/** Signs in without a name or a password. Hidden where the browser knows no passkeys: plain http, or an old one. */
export function PasskeyButton() {
  const { t } = useTranslation();
  const site = useSite();
  const signIn = usePasskeySignIn();
  if (!site?.passkey_login || !("PublicKeyCredential" in window)) return null;
  const act = () =>
    signIn.mutate(undefined, {
      onError: (error) => {
        // The browser does not tell "no passkey" from "changed my mind", so neither is called an error.
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
      // The password form must not complain about what is not being used.
      onMouseDown={(event) => event.preventDefault()}
      onClick={act}
    >
      {t("Sign in with a passkey")}
    </Button>
  );
}

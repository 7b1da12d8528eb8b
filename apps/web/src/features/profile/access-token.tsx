/** The access token for management scripts: create, show once, revoke. */
import { Anchor, Badge, Button, Code, Group, Modal, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { apiUrl } from "#lib/http.ts";
import { useSelf } from "#lib/session.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { confirm } from "#ui/confirm.tsx";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { Section } from "#ui/page/page.tsx";
import { toast } from "#ui/toast.tsx";
import { useRenewAccessToken, useRevokeAccessToken } from "./api.ts";
import { OwnerPrompt } from "./sign-in/owner-prompt.tsx";

export function AccessTokenSection() {
  const { t } = useTranslation("profile");
  const self = useSelf();
  const renew = useRenewAccessToken();
  const revoke = useRevokeAccessToken();
  const [asking, setAsking] = useState(false);
  const [token, setToken] = useState("");
  if (!self) return null;
  const exists = self.has_access_token;

  const make = async (password: string) => {
    const created = await renew.mutateAsync(password);
    setAsking(false);
    setToken(created.token);
    renew.reset();
  };
  const end = async () => {
    const sure = await confirm({
      title: t("Revoke the access token?"),
      body: t("Scripts that use the current one stop working immediately."),
      action: t("Revoke"),
    });
    if (sure) revoke.mutate(undefined, { onSuccess: () => toast.success(t("Access token revoked")) });
  };

  return (
    <Section
      title={t("Access token")}
      hint={t(
        "For scripts that use the management API on your behalf. To call models, use an API key instead.",
      )}
      aside={exists ? <Badge color="green">{t("Set")}</Badge> : <Badge color="gray">{t("None")}</Badge>}
    >
      <Stack gap="md">
        <Text fz="sm">
          {withSpace(
            t(
              "Send it in the Authorization header. It has all your permissions, so treat it like a password.",
            ),
          )}
          <Anchor component={Link} to="/panel/api" fz="inherit">
            {t("API reference")}
          </Anchor>
        </Text>
        <Code block>{`curl ${apiUrl("/user/self")} -H "Authorization: Bearer …"`}</Code>
        <Group gap="xs">
          <Button variant={exists ? "default" : "filled"} onClick={() => setAsking(true)}>
            {exists ? t("Replace") : t("Create access token")}
          </Button>
          {exists ? (
            <Button variant="default" c="red" loading={revoke.isPending} onClick={() => void end()}>
              {t("Revoke")}
            </Button>
          ) : null}
        </Group>
      </Stack>
      {asking ? (
        <OwnerPrompt
          title={exists ? t("Replace the access token?") : t("Create access token")}
          text={
            exists
              ? t("Scripts that use the current one stop working immediately.")
              : t("The token has all your permissions. Confirm your identity.")
          }
          action={exists ? t("Replace") : t("Create access token")}
          run={make}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {token === "" ? null : <ShownOnce token={token} onClose={() => setToken("")} />}
    </Section>
  );
}

function ShownOnce({ token, onClose }: { token: string; onClose: () => void }) {
  const { t } = useTranslation("profile");
  // Opened after it appears, so that it notes which element gets the focus back.
  const opened = useMounted();
  return (
    <Modal opened={opened} onClose={onClose} closeOnClickOutside={false} title={t("Your access token")}>
      <Stack>
        <Text>{t("Copy the token now. It is not shown again.")}</Text>
        <Code block data-testid="access-token">
          {token}
        </Code>
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Done")}
          </Button>
          <Button
            data-autofocus
            leftSection={<IconCopy size={16} />}
            onClick={() => void copyText(token, t("Access token"))}
          >
            {t("Copy {{label}}", { label: t("Access token") })}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

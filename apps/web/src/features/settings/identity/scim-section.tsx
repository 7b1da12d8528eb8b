/** The SCIM client of a sign-in provider: its address here, and its token. */
import type { IdentityProviderRow } from "@gateway/shared/accounts/identity-provider";
import { Alert, Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useServerAddress } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { FormSection } from "#ui/form/form-drawer.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { useCreateScimToken, useRevokeScimToken } from "./api.ts";

export function ScimSection({ provider }: { provider: IdentityProviderRow }) {
  const { t } = useTranslation("settings");
  const address = useServerAddress();
  const create = useCreateScimToken();
  const revoke = useRevokeScimToken();
  const hasToken = provider.scim_token_time !== null;
  const token = create.data?.token;

  const createNew = async () => {
    const sure =
      !hasToken ||
      (await confirm({
        title: t("Replace the SCIM token?"),
        body: t("The current token stops working immediately."),
        action: t("Replace token"),
      }));
    if (sure) create.mutate(provider.id);
  };
  const end = async () => {
    const sure = await confirm({
      title: t("Revoke the SCIM token?"),
      body: t("The identity provider can no longer change accounts here. The accounts stay as they are."),
      action: t("Revoke token"),
    });
    if (!sure) return;
    revoke.mutate(provider.id, {
      onSuccess: () => {
        create.reset();
        toast.success(t("Token revoked"));
      },
    });
  };

  return (
    <FormSection
      title={t("SCIM provisioning")}
      hint={t(
        "The identity provider creates, changes and disables accounts here. Enter address and token there.",
      )}
    >
      <div>
        <Text fz="sm" c="dimmed">
          {t("SCIM address")}
        </Text>
        <CopyCode text={`${address}/scim/v2`} label={t("SCIM address")} />
      </div>
      {token === undefined ? (
        <Text fz="sm" c="dimmed">
          <TokenState provider={provider} />
        </Text>
      ) : (
        <Alert color="green" title={t("Copy the token now. It is not shown again.")}>
          <CopyCode text={token} label={t("SCIM token")} />
        </Alert>
      )}
      <Group gap="xs">
        <Button variant="default" size="xs" loading={create.isPending} onClick={() => void createNew()}>
          {hasToken ? t("Replace token") : t("Create token")}
        </Button>
        {hasToken ? (
          <Button variant="default" size="xs" c="red" loading={revoke.isPending} onClick={() => void end()}>
            {t("Revoke token")}
          </Button>
        ) : null}
      </Group>
    </FormSection>
  );
}

function TokenState({ provider }: { provider: IdentityProviderRow }) {
  const { t } = useTranslation("settings");
  const { scim_token_time: made, scim_last_used: used } = provider;
  if (made === null) return t("No token. SCIM is off.");
  return (
    <>
      {t("Token created")} <RelativeTime seconds={made} /> ·{" "}
      {used === null ? (
        t("not used yet")
      ) : (
        <>
          {t("last used")} <RelativeTime seconds={used} />
        </>
      )}
    </>
  );
}

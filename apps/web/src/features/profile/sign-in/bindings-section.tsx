/** External accounts linked to this one for sign-in. */
import type { IdentityProviderKey, IdentityRow } from "@gateway/shared/accounts/sign-in";
import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  IdentityProviderIcon,
  identityProviderTitle,
  presetOf,
} from "#components/icons/identity-provider.tsx";
import { WeChatDialog } from "#components/wechat-dialog.tsx";
import { confirmOwner, identitiesQuery, useBind, useBindWeChat, useUnbind } from "#features/profile/api.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { addedProviders, offeredProviders } from "#lib/sign-in.ts";
import { useSite } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { QueryFallback } from "#ui/empty.tsx";
import { Line, LineList } from "#ui/line-list.tsx";
import { Section } from "#ui/page/page.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { OwnerPrompt } from "./owner-prompt.tsx";

export function BindingsSection() {
  const { t } = useTranslation("profile");
  const site = useSite();
  const bound = useQuery(identitiesQuery);
  const offers = offeredProviders(site);
  const unofferedProviders =
    bound.data?.map((row) => row.provider).filter((id) => !offers.includes(id)) ?? [];
  // Accounts of a disabled provider can still be unlinked.
  const shown = [...offers, ...unofferedProviders];
  if (shown.length === 0) return null;
  return (
    <Section title={t("Connected accounts")} hint={t("External accounts that you can use to sign in.")}>
      {bound.data ? (
        <LineList>
          {shown.map((id) => (
            <Binding key={id} id={id} row={bound.data.find((row) => row.provider === id)} />
          ))}
        </LineList>
      ) : (
        <QueryFallback query={bound}>
          <Skeleton height={56} radius="md" />
        </QueryFallback>
      )}
    </Section>
  );
}

function Binding({ id, row }: { id: IdentityProviderKey; row: IdentityRow | undefined }) {
  const { t } = useTranslation("profile");
  const added = addedProviders(useSite());
  const name = identityProviderTitle(t, id, added);
  return (
    <Line
      picture={<IdentityProviderIcon id={presetOf(added, id)} />}
      title={<Text fw={500}>{name}</Text>}
      detail={
        row ? (
          <>
            {row.label ? `${row.label} · ` : null}
            {t("connected")} <RelativeTime seconds={row.created_time} />
          </>
        ) : (
          t("Not connected")
        )
      }
      action={row ? <UnbindButton id={id} name={name} /> : <BindButton id={id} name={name} />}
    />
  );
}

type ButtonProps = { id: IdentityProviderKey; name: string };

function UnbindButton({ id, name }: ButtonProps) {
  const { t } = useTranslation("profile");
  const unbind = useUnbind();
  const act = async () => {
    const sure = await confirm({
      title: t("Disconnect {{name}}?", { name }),
      body: t("You can no longer use this account to sign in."),
      action: t("Disconnect"),
    });
    if (!sure) return;
    unbind.mutate(id, {
      onSuccess: () => toast.success(t("Disconnected")),
      onError: (error) => toast.error(t("Error: {{message}}", { message: errorReason(error, t) })),
    });
  };
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={unbind.isPending}
      aria-label={t("Disconnect {{name}}", { name })}
      onClick={() => void act()}
    >
      {t("Disconnect")}
    </Button>
  );
}

function BindButton({ id, name }: ButtonProps) {
  const { t } = useTranslation("profile");
  const [asking, setAsking] = useState(false);
  const [scanning, setScanning] = useState(false);
  const bind = useBind();
  const go = async (password: string) => {
    await confirmOwner(password);
    setAsking(false);
    if (id === "wechat") setScanning(true);
    else bind.mutate(id);
  };
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        loading={bind.isPending}
        aria-label={t("Connect {{name}}", { name })}
        onClick={() => setAsking(true)}
      >
        {t("Connect")}
      </Button>
      {asking ? (
        <OwnerPrompt
          title={t("Connect {{name}}", { name })}
          text={t("You can then use this account to sign in. Confirm your identity.")}
          action={t("Continue")}
          run={go}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {scanning ? <BindWeChat onClose={() => setScanning(false)} /> : null}
    </>
  );
}

function BindWeChat({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("profile");
  const site = useSite();
  const bind = useBindWeChat();
  const done = () => {
    toast.success(t("Account connected"));
    onClose();
  };
  return (
    <WeChatDialog
      onClose={onClose}
      picture={site?.wechat_qrcode ?? ""}
      action={t("Connect")}
      onSubmit={(code) => bind.mutate(code, { onSuccess: done })}
      loading={bind.isPending}
      error={bind.error ? errorReason(bind.error, t) : undefined}
    />
  );
}

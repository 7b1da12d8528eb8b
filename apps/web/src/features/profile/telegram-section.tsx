/** The user's Telegram account, linked by sending a code to the bot. */
import type { TelegramCode, TelegramLink } from "@gateway/shared/site/telegram";
import { Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconBrandTelegram } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSite } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { LoadError } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { QrCode } from "#ui/qr-code.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { OwnerPrompt } from "./sign-in/owner-prompt.tsx";
import { newTelegramCode, telegramLinkQuery, useUnlinkTelegram } from "./telegram-api.ts";

export function TelegramSection() {
  const { t } = useTranslation("profile");
  const bot = useSite()?.telegram_bot ?? "";
  const [asking, setAsking] = useState(false);
  const [offer, setOffer] = useState<TelegramCode>();
  const link = useQuery(telegramLinkQuery(offer !== undefined));
  const begin = async (password: string) => {
    setOffer(await newTelegramCode(password));
    setAsking(false);
  };
  // Without a bot no account can be linked, but an existing link can be removed.
  if (bot === "" && !link.data) return null;
  return (
    <Section
      title="Telegram"
      hint={t("The bot shows your balance and API keys and redeems codes. You cannot sign in with it.")}
      aside={
        link.data ? (
          <UnlinkButton />
        ) : link.data === null ? (
          <Button variant="default" onClick={() => setAsking(true)}>
            {t("Connect")}
          </Button>
        ) : null
      }
    >
      <LinkState link={link.data} error={link.error} onRetry={() => void link.refetch()} />
      {asking ? (
        <OwnerPrompt
          title={t("Connect {{name}}", { name: "Telegram" })}
          text={t("A connected account can see your balance and API keys. Confirm your identity.")}
          action={t("Continue")}
          run={begin}
          onClose={() => setAsking(false)}
        />
      ) : null}
      {offer ? (
        <LinkDialog bot={bot} offer={offer} link={link.data} onClose={() => setOffer(undefined)} />
      ) : null}
    </Section>
  );
}

type LinkStateProps = { link: TelegramLink | undefined; error: unknown; onRetry: () => void };

function LinkState({ link, error, onRetry }: LinkStateProps) {
  const { t } = useTranslation("profile");
  if (link === undefined)
    return error ? <LoadError error={error} onRetry={onRetry} /> : <Skeleton height={20} width={180} />;
  if (link === null)
    return (
      <Text fz="sm" c="dimmed">
        {t("Not connected")}
      </Text>
    );
  return (
    <Text>
      <Text span fw={500}>
        {link.label}
      </Text>
      <Text span c="dimmed">
        {" · "}
        {t("connected")} <RelativeTime seconds={link.created_time} />
      </Text>
    </Text>
  );
}

function UnlinkButton() {
  const { t } = useTranslation("profile");
  const unlink = useUnlinkTelegram();
  const act = async () => {
    const sure = await confirm({
      title: t("Disconnect {{name}}?", { name: "Telegram" }),
      body: t("The bot will no longer show your balance."),
      action: t("Disconnect"),
    });
    if (sure) unlink.mutate(undefined, { onSuccess: () => toast.success(t("Disconnected")) });
  };
  return (
    <Button
      variant="default"
      loading={unlink.isPending}
      aria-label={t("Disconnect {{name}}", { name: "Telegram" })}
      onClick={() => void act()}
    >
      {t("Disconnect")}
    </Button>
  );
}

type LinkDialogProps = {
  bot: string;
  offer: TelegramCode;
  link: TelegramLink | undefined;
  onClose: () => void;
};

function LinkDialog({ bot, offer, link, onClose }: LinkDialogProps) {
  const { t } = useTranslation("profile");
  const linked = Boolean(link);
  useEffect(() => {
    if (!linked) return;
    toast.success(t("Account connected"));
    onClose();
  }, [linked, onClose, t]);
  const address = `https://t.me/${bot}?start=${offer.code}`;
  // Opened after it appears, so that it notes which element gets the focus back.
  const opened = useMounted();
  return (
    <Modal opened={opened} onClose={onClose} title={t("Connect {{name}}", { name: "Telegram" })} size={420}>
      <Stack>
        <Text>{t("Open the bot on this device or scan the code with your phone, then press Start.")}</Text>
        <Group justify="center">
          <QrCode text={address} label={t("QR code that opens the bot")} />
        </Group>
        <Button
          component="a"
          href={address}
          target="_blank"
          rel="noreferrer"
          data-autofocus
          leftSection={<IconBrandTelegram size={18} />}
        >
          {t("Open Telegram")}
        </Button>
        <Text fz="sm" c="dimmed">
          {t("Or send this to @{{bot}} within {{minutes}} minutes:", { bot, minutes: offer.minutes })}
        </Text>
        <CopyCode text={`/bind ${offer.code}`} label={t("Command")} />
      </Stack>
    </Modal>
  );
}

/** The own Telegram account: linked by a code that is sent to the bot. */
import type { TelegramLink } from "@gateway/shared/telegram";
import { Button, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { IconBrandTelegram } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSite } from "#lib/site.ts";
import { confirm } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { Failed } from "#ui/empty.tsx";
import { Section } from "#ui/page.tsx";
import { QrCode } from "#ui/qr-code.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { toast } from "#ui/toast.tsx";
import { telegramCodeQuery, telegramLinkQuery, useUnlinkTelegram } from "./telegram-api.ts";

export function TelegramSection() {
  const { t } = useTranslation();
  const bot = useSite()?.telegram_bot ?? "";
  const [linking, setLinking] = useState(false);
  const link = useQuery(telegramLinkQuery(linking));
  // Without a bot there is nothing to link, but what is linked can still be let go of.
  if (bot === "" && !link.data) return null;
  return (
    <Section
      title="Telegram"
      hint={t("Ask the bot of this site for your balance. It opens no account.")}
      aside={
        link.data ? (
          <UnlinkButton />
        ) : link.data === null ? (
          <Button variant="default" onClick={() => setLinking(true)}>
            {t("Connect")}
          </Button>
        ) : null
      }
    >
      <LinkState link={link.data} error={link.error} onRetry={() => void link.refetch()} />
      {linking ? <LinkDialog bot={bot} link={link.data} onClose={() => setLinking(false)} /> : null}
    </Section>
  );
}

type LinkStateProps = { link: TelegramLink | undefined; error: unknown; onRetry: () => void };

function LinkState({ link, error, onRetry }: LinkStateProps) {
  const { t } = useTranslation();
  if (link === undefined)
    return error ? <Failed error={error} onRetry={onRetry} /> : <Skeleton height={20} width={180} />;
  if (link === null) return <Text c="dimmed">{t("Not connected")}</Text>;
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
  const { t } = useTranslation();
  const unlink = useUnlinkTelegram();
  const act = async () => {
    const sure = await confirm({
      title: t("Disconnect {{name}}?", { name: "Telegram" }),
      body: t("The bot will no longer tell you your balance."),
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

type LinkDialogProps = { bot: string; link: TelegramLink | undefined; onClose: () => void };

function LinkDialog({ bot, link, onClose }: LinkDialogProps) {
  const { t } = useTranslation();
  const offer = useQuery(telegramCodeQuery);
  const linked = Boolean(link);
  useEffect(() => {
    if (!linked) return;
    toast.success(t("Account connected"));
    onClose();
  }, [linked, onClose, t]);
  const address = `https://t.me/${bot}?start=${offer.data?.code ?? ""}`;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Connect {{name}}", { name: "Telegram" })}
      styles={{ title: { fontSize: 16, fontWeight: 600 } }}
      size={420}
    >
      {offer.data ? (
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
            leftSection={<IconBrandTelegram size={18} />}
          >
            {t("Open Telegram")}
          </Button>
          <Text fz="sm" c="dimmed">
            {t("Or send this to @{{bot}} within {{minutes}} minutes:", { bot, minutes: offer.data.minutes })}
          </Text>
          <CopyCode text={`/bind ${offer.data.code}`} label={t("Command")} />
        </Stack>
      ) : offer.error ? (
        <Failed error={offer.error} onRetry={() => void offer.refetch()} />
      ) : (
        <Skeleton height={320} radius="md" />
      )}
    </Modal>
  );
}

/** The second factor: a code from an authenticator app in addition to the password. */
import { Badge, Button, Group, Modal, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSelf } from "#lib/session.ts";
import { Section } from "#ui/page/page.tsx";
import { RecoveryList } from "./recovery-list.tsx";
import { DisableTotp, EnableTotp, RenewRecovery } from "./totp-steps.tsx";

type Open = { kind: "enable" | "disable" | "renew" } | { kind: "codes"; codes: string[] } | null;

export function SecondFactorSection() {
  const { t } = useTranslation("profile");
  const self = useSelf();
  const [open, setOpen] = useState<Open>(null);
  if (!self) return null;
  const on = self.totp_enabled;
  const close = () => setOpen(null);
  const showCodes = (codes: string[]) => setOpen({ kind: "codes", codes });
  const titles = {
    enable: t("Set up a second factor"),
    disable: t("Remove the second factor"),
    renew: t("New recovery codes"),
    codes: t("Your recovery codes"),
  };
  return (
    <Section
      title={t("Second factor")}
      hint={t("In addition to your password, enter a code from an authenticator app.")}
      aside={on ? <Badge color="green">{t("On")}</Badge> : <Badge color="gray">{t("Off")}</Badge>}
    >
      {on ? (
        <Group gap="xs">
          <Button variant="default" onClick={() => setOpen({ kind: "renew" })}>
            {t("New recovery codes")}
          </Button>
          <Button variant="default" c="red" onClick={() => setOpen({ kind: "disable" })}>
            {t("Remove")}
          </Button>
        </Group>
      ) : (
        <Group justify="space-between" gap="md">
          <Text fz="sm" c="dimmed" flex="1 1 280px">
            {t(
              "Protects your account if your password is stolen. Works with any app for time-based codes (TOTP).",
            )}
          </Text>
          <Button onClick={() => setOpen({ kind: "enable" })}>{t("Set up")}</Button>
        </Group>
      )}
      <Modal
        opened={open !== null}
        onClose={close}
        closeOnClickOutside={false}
        title={open ? titles[open.kind] : null}
      >
        {open?.kind === "enable" ? <EnableTotp asksPassword={self.has_password} onDone={showCodes} /> : null}
        {open?.kind === "disable" ? <DisableTotp asksPassword={self.has_password} onDone={close} /> : null}
        {open?.kind === "renew" ? <RenewRecovery onDone={showCodes} /> : null}
        {open?.kind === "codes" ? <RecoveryList codes={open.codes} onClose={close} /> : null}
      </Modal>
    </Section>
  );
}

import { Alert, Button, Modal, Stack, Text, Textarea } from "@mantine/core";
import { IconAlertTriangle, IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { errorReason } from "#lib/errors/error-text.ts";
import { useServerAddress, useSystemName } from "#lib/site.ts";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";

export type NewAccount = {
  id: number;
  username: string;
  password: string;
  /** Null if it could not be created; absent for an account without a key. */
  key?: string | null;
  /** Why there is no key. */
  failed?: unknown;
};

/** Shows the credentials of a new account once, as a message to send. */
export function NewAccountDialog({ account, onClose }: { account: NewAccount; onClose: () => void }) {
  const { t } = useTranslation("users");
  const phone = useIsPhone();
  const address = useServerAddress();
  const name = useSystemName();
  const message = [
    t("Your access to {{name}}", { name }),
    "",
    `${t("Console")}: ${address}/login`,
    `${t("Username")}: ${account.username}`,
    `${t("Password")}: ${account.password}`,
    ...(account.key === undefined ? [] : ["", `${t("API address")}: ${address}/v1`]),
    ...(account.key ? [`${t("Key")}: ${account.key}`] : []),
  ].join("\n");
  return (
    <Modal
      opened
      onClose={onClose}
      size={560}
      fullScreen={phone}
      closeOnClickOutside={false}
      title={t("{{name}} created", { name: account.username })}
    >
      <Stack gap="md">
        {account.failed === undefined ? null : (
          <Alert color="amber" icon={<IconAlertTriangle size={17} />}>
            <FailedKey error={account.failed} />
          </Alert>
        )}
        <Textarea
          label={t("Message to send")}
          description={t("The password is shown only once. It can be changed after signing in.")}
          readOnly
          autosize
          minRows={5}
          value={message}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 12.5 } }}
        />
        <DialogButtons>
          <Button variant="default" component={Link} to={`/panel/user/${account.id}`}>
            {t("Open the page")}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t("Done")}
          </Button>
          <Button
            data-autofocus
            leftSection={<IconCopy size={16} />}
            onClick={() => void copyText(message, t("Message"))}
          >
            {t("Copy the message")}
          </Button>
        </DialogButtons>
      </Stack>
    </Modal>
  );
}

function FailedKey({ error }: { error: unknown }) {
  const { t } = useTranslation("users");
  return (
    <Text fz="sm">
      {t("The account was created, but the key was not: {{reason}}", { reason: errorReason(error, t) })}
    </Text>
  );
}

/** The complete new key, with its next steps. */
import type { CreatedToken } from "@gateway/shared/accounts/token";
import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCopy, IconPlugConnected } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ClientSamples } from "#components/samples/client-samples.tsx";
import { sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { modelsOfToken } from "#lib/reachable-models.ts";
import { useSelf } from "#lib/session.ts";
import { useServerAddress } from "#lib/site.ts";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./tokens.module.css";

type CreatedTokenDialogProps = {
  token: CreatedToken;
  onClose: () => void;
  /** The token belongs to another user, whose balance pays. */
  forOther?: boolean;
};

export function CreatedTokenDialog({ token, onClose, forOther = false }: CreatedTokenDialogProps) {
  const { t } = useTranslation("tokens");
  const phone = useIsPhone();
  const address = useServerAddress();
  const self = useSelf();
  const models = useQuery(modelsQuery).data;
  return (
    <HelpModal
      help="users#tokens"
      opened
      onClose={onClose}
      size={680}
      fullScreen={phone}
      closeOnClickOutside={false}
      title={t("“{{name}}” is ready", { name: token.name })}
    >
      <Stack gap="md">
        <Stack gap="xs">
          <div className={classes.key} data-testid="new-key">
            {token.key}
          </div>
          <Group justify="space-between" gap="sm">
            <Text fz="sm" c="dimmed" flex="1 1 260px">
              {forOther
                ? t(
                    "Anyone with this key can spend the owner's balance. The key is shown to you only once. The owner can copy it again.",
                  )
                : t("Anyone with this key can spend your balance. You can copy it again from the list.")}
            </Text>
            <Button
              data-autofocus
              leftSection={<IconCopy size={16} />}
              onClick={() => void copyText(token.key, t("Key"))}
            >
              {t("Copy the key")}
            </Button>
          </Group>
        </Stack>
        <Stack gap="xs">
          <Text fw={600}>{t("Make the first call")}</Text>
          <ClientSamples
            sample={{
              address,
              apiKey: token.key,
              model: sampleModel(modelsOfToken(models ?? {}, token, self?.group ?? "")),
            }}
          />
        </Stack>
        <DialogButtons>
          <Button
            component={Link}
            to={`/panel/connect?token=${token.id}`}
            variant="subtle"
            leftSection={<IconPlugConnected size={16} />}
          >
            {t("Connect a client")}
          </Button>
          <Button variant="default" onClick={onClose}>
            {t("Done")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}

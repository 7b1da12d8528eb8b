/** Gives a token a new key: asks how long the previous one works, then shows the new one. */
import type { CreatedToken, KeyOverlap, TokenRow } from "@gateway/shared/accounts/token";
import { Alert, Button, Radio, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { formatTime } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { useRotateKey } from "./api.ts";
import classes from "./tokens.module.css";

const phrase = phrasesIn("tokens");

const overlaps: { hours: KeyOverlap; label: string; description: string }[] = [
  { hours: 24, label: phrase("24 hours"), description: phrase("Enough to update applications in a day.") },
  { hours: 168, label: phrase("7 days"), description: phrase("For applications that are updated weekly.") },
  { hours: 1, label: phrase("1 hour"), description: phrase("For a single application.") },
  {
    hours: 0,
    label: phrase("It stops now"),
    description: phrase("For a key that others know. Its calls in progress end."),
  },
];

type RotateDialogProps = { token: TokenRow; onClose: () => void };

export function RotateDialog({ token, onClose }: RotateDialogProps) {
  const { t } = useTranslation("tokens");
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <HelpModal
      help="users#key-rotation"
      opened
      onClose={onClose}
      size={520}
      closeOnClickOutside={created === undefined}
      title={
        created === undefined
          ? t("Rotate the key of “{{name}}”", { name: token.name })
          : t("New key of “{{name}}”", { name: token.name })
      }
    >
      {created === undefined ? (
        <OverlapForm token={token} onRotated={setCreated} onClose={onClose} />
      ) : (
        <NewKey token={created} onClose={onClose} />
      )}
    </HelpModal>
  );
}

type OverlapFormProps = RotateDialogProps & { onRotated: (token: CreatedToken) => void };

function OverlapForm({ token, onRotated, onClose }: OverlapFormProps) {
  const { t } = useTranslation("tokens");
  const [hours, setHours] = useState<KeyOverlap>(24);
  const rotate = useRotateKey();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        rotate.mutate({ id: token.id, hours }, { onSuccess: onRotated });
      }}
    >
      <Stack gap="md">
        <Text c="dimmed" fz="sm">
          {t("The token gets a new key. Its limits, its budget and its usage stay the same.")}
        </Text>
        <Radio.Group
          label={t("How long the current key works")}
          value={String(hours)}
          onChange={(value) =>
            setHours(overlaps.find((overlap) => String(overlap.hours) === value)?.hours ?? 24)
          }
        >
          <Stack gap="sm" mt="xs">
            {overlaps.map((overlap) => (
              <Radio
                key={overlap.hours}
                value={String(overlap.hours)}
                label={t(overlap.label)}
                description={t(overlap.description)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {token.previous_key === null ? null : (
          <Alert color="amber" variant="light" icon={<IconAlertTriangle size={18} />}>
            {t("The key {{hint}} from the last rotation stops working now.", {
              hint: token.previous_key.hint,
            })}
          </Alert>
        )}
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button type="submit" loading={rotate.isPending} data-autofocus>
            {t("Rotate key")}
          </Button>
        </DialogButtons>
      </Stack>
    </form>
  );
}

function NewKey({ token, onClose }: { token: CreatedToken; onClose: () => void }) {
  const { t } = useTranslation("tokens");
  return (
    <Stack gap="md">
      <div className={classes.key} data-testid="new-key">
        {token.key}
      </div>
      <Text fz="sm" c="dimmed">
        {token.previous_key === null
          ? t("The previous key does not work anymore.")
          : t("The previous key works until {{time}}. Use the new key in your applications before then.", {
              time: formatTime(token.previous_key.until),
            })}
      </Text>
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          {t("Done")}
        </Button>
        <Button
          data-autofocus
          leftSection={<IconCopy size={16} />}
          onClick={() => void copyText(token.key, t("Key"))}
        >
          {t("Copy the key")}
        </Button>
      </DialogButtons>
    </Stack>
  );
}

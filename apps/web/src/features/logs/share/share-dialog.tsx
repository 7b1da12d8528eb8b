/** Creates a link to a call that is readable without signing in: when it expires, and what it shows. */
import type { LogRow } from "@gateway/shared/usage/log";
import { shareHours } from "@gateway/shared/usage/share";
import { Button, Checkbox, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconCopy, IconExternalLink } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { bodiesQuery } from "#features/logs/api.ts";
import { idOfCall } from "#lib/address/call-address.ts";
import { formatTime } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { addressOfShare, useShareCall } from "./share-api.ts";
import classes from "#features/logs/logs.module.css";

const phrase = phrasesIn("logs");

type Hours = (typeof shareHours)[number];

const hourLabels: Record<Hours, string> = {
  1: phrase("1 hour"),
  24: phrase("1 day"),
  168: phrase("7 days"),
};

export function ShareDialog({ row, onClose }: { row: LogRow; onClose: () => void }) {
  const { t } = useTranslation("logs");
  const share = useShareCall(idOfCall(row));
  const bodies = useQuery({ ...bodiesQuery(row.request_id), enabled: row.request_id !== "" });
  const [hours, setHours] = useState<Hours>(24);
  const [withBodies, setWithBodies] = useState(false);
  const isStored = bodies.data !== undefined && bodies.data !== null;
  const created = share.data;
  return (
    <HelpModal help="users#shared-calls" opened onClose={onClose} size={520} title={t("Share this call")}>
      {created ? (
        <Stack gap="md">
          <div className={classes.shareLink} data-testid="share-link">
            {addressOfShare(created.secret)}
          </div>
          <Text fz="sm" c="dimmed">
            {t(
              "The link works until {{time}}. It is shown only once. You can revoke it under Shared links in the log.",
              {
                time: formatTime(created.expires_at),
              },
            )}
          </Text>
          <DialogButtons>
            <Button
              component="a"
              href={addressOfShare(created.secret)}
              target="_blank"
              rel="noreferrer"
              variant="default"
              leftSection={<IconExternalLink size={16} />}
            >
              {t("Open")}
            </Button>
            <Button
              data-autofocus
              leftSection={<IconCopy size={16} />}
              onClick={() => void copyText(addressOfShare(created.secret), t("Link"))}
            >
              {t("Copy link")}
            </Button>
          </DialogButtons>
        </Stack>
      ) : (
        <Stack gap="md">
          <Text fz="sm" c="dimmed">
            {t("Everyone who has the link can read the call without signing in.")}
          </Text>
          <div>
            <Text fz="sm" fw={500} mb={6}>
              {t("Expires after")}
            </Text>
            <SegmentedControl
              aria-label={t("Expires after")}
              fullWidth
              data={shareHours.map((value) => ({ value: String(value), label: t(hourLabels[value]) }))}
              value={String(hours)}
              onChange={(value) => setHours(shareHours.find((each) => String(each) === value) ?? 24)}
            />
          </div>
          <Stack gap="xs">
            <Text fz="sm" fw={500}>
              {t("The link shows")}
            </Text>
            <Checkbox
              checked
              disabled
              label={t("Bill and route")}
              description={t("Without the names of your account, your keys and the channels.")}
            />
            <Checkbox
              checked={withBodies}
              disabled={!isStored}
              onChange={(event) => setWithBodies(event.currentTarget.checked)}
              label={t("Request and response")}
              description={
                isStored
                  ? t("Also the text of an error. Check that it contains no secrets.")
                  : t("Not stored for this call.")
              }
            />
          </Stack>
          <DialogButtons>
            <Button variant="default" onClick={onClose}>
              {t("Cancel")}
            </Button>
            <Button
              data-autofocus
              loading={share.isPending}
              onClick={() => share.mutate({ hours, with_bodies: withBodies })}
            >
              {t("Create link")}
            </Button>
          </DialogButtons>
        </Stack>
      )}
    </HelpModal>
  );
}

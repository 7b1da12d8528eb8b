/** The new codes, to copy or to download. */
import { Button, Code, ScrollArea, Stack, Text } from "@mantine/core";
import { IconCopy, IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";
import { downloadCodes } from "./codes-file.ts";

type CreatedCodesDialogProps = { codes: string[]; name: string; onClose: () => void };

export function CreatedCodesDialog({ codes, name, onClose }: CreatedCodesDialogProps) {
  const { t } = useTranslation("redemptions");
  const text = codes.join("\n");
  return (
    <HelpModal
      help="payments#redemption-codes"
      opened
      onClose={onClose}
      title={t("{{count}} codes created", { count: codes.length })}
      size={480}
    >
      <Stack>
        <Text c="dimmed" fz="sm">
          {t("You can also find the codes in the list later.")}
        </Text>
        <ScrollArea.Autosize mah={320}>
          <Code block>{text}</Code>
        </ScrollArea.Autosize>
        <DialogButtons>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={() => downloadCodes(codes, name)}
          >
            {t("Download")}
          </Button>
          <Button
            leftSection={<IconCopy size={16} />}
            onClick={() => void copyText(text, t("Redemption codes"))}
          >
            {t("Copy")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}

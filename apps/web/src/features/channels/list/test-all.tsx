/** Asks before all channels are tested. `?ask=test` opens it, for the command palette and links. */
import { Button, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";
import { HelpModal } from "#ui/form/help-modal.tsx";

export function TestAllDialog({ onTest, onClose }: { onTest: () => void; onClose: () => void }) {
  const { t } = useTranslation("channels");
  return (
    <HelpModal help="providers" opened onClose={onClose} title={t("Test all channels?")} centered>
      <Stack>
        <Text>
          {t("Each test is one short call to the provider. Manually disabled channels are skipped.")}
        </Text>
        <DialogButtons>
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            data-autofocus
            onClick={() => {
              onTest();
              onClose();
            }}
          >
            {t("Test")}
          </Button>
        </DialogButtons>
      </Stack>
    </HelpModal>
  );
}

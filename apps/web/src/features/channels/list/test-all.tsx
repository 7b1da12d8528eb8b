/** Asks before all channels are tested. `?ask=test` opens it, for the command palette and links. */
import { Button, Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { HelpModal } from "#ui/form/help-modal.tsx";

export function TestAllDialog({ onTest, onClose }: { onTest: () => void; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <HelpModal help="providers" opened onClose={onClose} title={t("Test all channels?")} centered>
      <Text>{t("Each test is one short call to the provider. Manually disabled channels are skipped.")}</Text>
      <Group justify="flex-end" mt="lg" gap="xs">
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
      </Group>
    </HelpModal>
  );
}

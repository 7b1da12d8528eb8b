import { Button, Code, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { copyText } from "#ui/copy.tsx";
import { DialogButtons } from "#ui/form/dialog-buttons.tsx";

/** Recovery codes, shown only once. */
export function RecoveryList({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const { t } = useTranslation("profile");
  return (
    <Stack>
      <Text>
        {t(
          "Use a recovery code to sign in when you do not have the app. Each code works once. Store the codes in a safe place, because they are not shown again.",
        )}
      </Text>
      <SimpleGrid cols={2} spacing="xs" data-testid="recovery-codes">
        {codes.map((code) => (
          <Code key={code} ta="center" py={6} fz="sm">
            {code}
          </Code>
        ))}
      </SimpleGrid>
      <DialogButtons>
        <Button variant="default" onClick={onClose}>
          {t("Done")}
        </Button>
        <Button
          data-autofocus
          leftSection={<IconCopy size={16} />}
          onClick={() => void copyText(codes.join("\n"), t("Recovery codes"))}
        >
          {t("Copy all")}
        </Button>
      </DialogButtons>
    </Stack>
  );
}

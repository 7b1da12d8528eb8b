/** Says that the address names a section that does not exist, because another one is shown. */
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconLinkOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";

/** Longer names are cut: an address can hold thousands of letters. */
const mostLetters = 40;

export function UnknownSection({ name, onRemove }: { name: string; onRemove: () => void }) {
  const { t } = useTranslation("settings");
  return (
    <Alert color="amber" icon={<IconLinkOff size={17} />} title={t("The section of this link was not found")}>
      <Group justify="space-between" gap="sm">
        <Text fz="sm" flex="1 1 300px" style={{ overflowWrap: "anywhere" }}>
          {t(
            "“{{name}}” does not exist in this version, or you do not have access to it. The first section is shown.",
            {
              name: name.length > mostLetters ? `${name.slice(0, mostLetters)}…` : name,
            },
          )}
        </Text>
        <Button variant="default" size="xs" onClick={onRemove}>
          {t("Remove it from the link")}
        </Button>
      </Group>
    </Alert>
  );
}

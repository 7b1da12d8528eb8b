import type { TokenRow } from "@gateway/shared/accounts/token";
import { ActionIcon, Group, Text, Tooltip } from "@mantine/core";
import { IconCopy } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useFetchKey } from "#lib/queries/tokens.ts";
import { copyText } from "#ui/copy.tsx";

/** The key's first and last characters. Copying fetches the complete key. */
export function KeyCell({ token }: { token: TokenRow }) {
  const { t } = useTranslation("tokens");
  const fetchKey = useFetchKey();
  const label = t("Copy {{label}}", { label: t("Key") });
  const copy = () =>
    fetchKey.mutate(token.id, {
      onSuccess: (key) => {
        void copyText(key, t("Key"));
        fetchKey.reset();
      },
    });
  return (
    <Group gap={4} wrap="nowrap">
      <Text span ff="monospace" fz="xs" c="dimmed" fw={400}>
        {token.key_hint}
      </Text>
      <Tooltip label={label}>
        <ActionIcon size={26} aria-label={label} loading={fetchKey.isPending} onClick={copy}>
          <IconCopy size={15} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** The key before the last rotation, while it still works. Its owner can end it. */
import type { TokenRow } from "@gateway/shared/accounts/token";
import { Alert, Button, Group, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatRelative, formatTime } from "#lib/format/quota.ts";
import { confirm } from "#ui/confirm.tsx";
import { toast } from "#ui/toast.tsx";
import { useEndPreviousKey } from "./api.ts";

/** @param own the reader owns the token */
export function PreviousKey({ token, own }: { token: TokenRow; own: boolean }) {
  const { t } = useTranslation("tokens");
  const ending = useEndPreviousKey();
  const { previous_key: previous } = token;
  if (previous === null) return null;
  const end = async () => {
    const sure = await confirm({
      title: t("End the previous key now?"),
      body: t("Applications that still use {{hint}} stop working immediately.", { hint: previous.hint }),
      action: t("End now"),
    });
    if (sure) ending.mutate(token.id, { onSuccess: () => toast.success(t("Previous key ended")) });
  };
  return (
    <Alert variant="light" color="iris" icon={<IconKey size={18} />} title={t("Two keys work")}>
      <Group justify="space-between" gap="sm">
        <Text fz="sm" title={formatTime(previous.until)}>
          {t("The previous key {{hint}} works until {{time}} ({{relative}}).", {
            hint: previous.hint,
            time: formatTime(previous.until),
            relative: formatRelative(previous.until),
          })}
        </Text>
        {own ? (
          <Button size="xs" variant="default" loading={ending.isPending} onClick={() => void end()}>
            {t("End now")}
          </Button>
        ) : null}
      </Group>
    </Alert>
  );
}

/** Which marks of a call's prompt cache the gateway added, and what they cost and saved. */
import type { Bill } from "@gateway/shared/usage/log";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import { marksEffect } from "./bill.ts";

export function CacheMarksNote({ bill }: { bill: Bill }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const { marks: count = 0 } = bill;
  const effect = marksEffect(bill);
  if (count === 0) return null;
  return (
    <Text fz="sm" c="dimmed" mt="xs">
      {t("The gateway added {{count}} marks for the provider's prompt cache to this request.", { count })}{" "}
      {effect === undefined
        ? null
        : t("Cache writes cost {{extra}} more than plain input, and cache reads saved {{saved}}.", {
            extra: format.usd(effect.extra, 6),
            saved: format.usd(effect.saved, 6),
          })}
    </Text>
  );
}

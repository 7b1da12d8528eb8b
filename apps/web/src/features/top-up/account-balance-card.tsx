/** The balance, how long it lasts, and the amount spent. */
import { Box, Card, SimpleGrid, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { useSelf } from "#lib/session.ts";
import classes from "./top-up.module.css";

const soonSeconds = 14 * 86_400;

export function AccountBalanceCard() {
  const { t } = useTranslation("top-up");
  const format = useFormat();
  const self = useSelf();
  const [now] = useState(() => Date.now() / 1000);
  if (!self) return null;
  const ends = self.quota_expires_at;
  const soon = ends !== null && ends - now < soonSeconds;
  return (
    <Card>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="xl" verticalSpacing="md">
        <Fact title={t("Balance")} large value={format.quota(self.quota)}>
          {self.reserved > 0
            ? t("{{amount}} of it reserved for running calls", { amount: format.quota(self.reserved) })
            : t("Available for calls")}
        </Fact>
        <Fact
          title={t("Valid until")}
          value={ends === null ? t("No expiry") : formatTime(ends).slice(0, 10)}
          warn={soon}
        >
          {ends === null
            ? null
            : t("Each top-up extends it. By default, the balance expires 180 days after the last one.")}
        </Fact>
        <Fact title={t("Charged in total")} value={format.quota(self.used_quota)}>
          {t("{{count}} successful calls", { count: self.request_count })}
        </Fact>
      </SimpleGrid>
    </Card>
  );
}

type FactProps = { title: string; value: string; large?: boolean; warn?: boolean; children: ReactNode };

function Fact({ title, value, large = false, warn = false, children }: FactProps) {
  return (
    <Box>
      <Text c="dimmed" fz="sm">
        {title}
      </Text>
      <Text className={large ? classes.balance : classes.value} c={warn ? "amber" : undefined}>
        {value}
      </Text>
      <Text c="dimmed" fz="xs" mt={2}>
        {children}
      </Text>
    </Box>
  );
}

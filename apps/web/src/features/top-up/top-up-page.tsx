/** The balance, and the ways to bring it up. */
import { Button, SimpleGrid } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Page } from "#ui/page.tsx";
import { BalanceCard } from "./balance-card.tsx";
import { InviteCard } from "./invite-card.tsx";
import { RedeemCard } from "./redeem-card.tsx";

export default function TopUpPage() {
  const { t } = useTranslation();
  return (
    <Page
      title={t("Top up")}
      description={t("Every credit and every charge is in your logs.")}
      actions={
        <Button
          component={Link}
          to="/panel/log"
          variant="default"
          leftSection={<IconListDetails size={16} />}
        >
          {t("Logs")}
        </Button>
      }
    >
      <BalanceCard />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
        <RedeemCard />
        <InviteCard />
      </SimpleGrid>
    </Page>
  );
}

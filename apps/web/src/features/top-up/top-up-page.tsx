/** The balance and the ways to top it up. */
import { Button, SimpleGrid, Skeleton } from "@mantine/core";
import { IconListDetails } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router-dom";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page } from "#ui/page/page.tsx";
import { AccountBalanceCard } from "./account-balance-card.tsx";
import { choicesQuery } from "./api.ts";
import { InviteCard } from "./invite-card.tsx";
import { OrderHistory } from "./order-history.tsx";
import { PayCard } from "./pay-card.tsx";
import { RedeemCard } from "./redeem-card.tsx";

const PayDialog = lazyPart(() => import("./pay-dialog.tsx").then((module) => module.PayDialog));

/** Query parameter of the return address of gateways; names the order. */
const returned = "back";

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(choicesQuery);
}

export default function TopUpPage() {
  const { t } = useTranslation("top-up");
  const [search, setSearch] = useSearchParams();
  const [shown, setShown] = useState(search.get(returned) ?? "");

  // Not `isPending`: after a failure the card requests them again, and must stay while it does.
  const { isFetched } = useQuery(choicesQuery);

  const close = () => {
    setShown("");
    // Also removes parameters that the gateway appended.
    if (search.has(returned)) setSearch({}, { replace: true });
  };

  return (
    <Page
      title={t("Top up")}
      description={t("Your logs show all top-ups and charges.")}
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
      <AccountBalanceCard />
      {isFetched ? (
        <>
          <PayCard onOpened={(order) => setShown(order.trade_no)} />
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
            <RedeemCard />
            <InviteCard />
          </SimpleGrid>
          <OrderHistory onWait={(order) => setShown(order.trade_no)} />
        </>
      ) : (
        // Most sites have no payment card. Until that is known, nothing below it has a place.
        <Skeleton height={420} radius="lg" />
      )}
      {shown === "" ? null : <PayDialog key={shown} tradeNo={shown} onClose={close} />}
    </Page>
  );
}

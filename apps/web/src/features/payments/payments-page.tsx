/** Payment gateways and orders. */
import { Button, Tabs } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { AddressMissing } from "#components/address-missing.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useMayChange } from "#lib/changes.ts";
import { useSite } from "#lib/site.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page } from "#ui/page/page.tsx";

const GatewayList = lazyPart(() => import("./gateway-list.tsx").then((module) => module.GatewayList));
const OrderList = lazyPart(() => import("./order-list.tsx").then((module) => module.OrderList));

export default function PaymentsPage() {
  const { t } = useTranslation("payments");
  const [search, setSearch] = useSearchParams();
  const edits = useMayChange();
  const site = useSite();
  const gateway = useDrawerParam();
  const tab = search.get("tab") === "gateways" ? "gateways" : "orders";
  return (
    <Page
      title={t("Payments")}
      description={t("Each payment is credited exactly once, with the amount of its order.")}
      actions={
        tab === "gateways" && edits ? (
          <Button leftSection={<IconPlus size={16} />} onClick={() => gateway.open(NEW)}>
            {t("New payment gateway")}
          </Button>
        ) : null
      }
    >
      <Tabs
        value={tab}
        // The lists have different filters, so none is kept.
        onChange={(next) => setSearch(next === "gateways" ? { tab: "gateways" } : {}, { replace: true })}
      >
        <Tabs.List>
          <Tabs.Tab value="orders">{t("Orders")}</Tabs.Tab>
          <Tabs.Tab value="gateways">{t("Payment gateways")}</Tabs.Tab>
        </Tabs.List>
      </Tabs>
      {site && site.server_address === "" ? <AddressMissing /> : null}
      {tab === "gateways" ? <GatewayList /> : <OrderList />}
    </Page>
  );
}

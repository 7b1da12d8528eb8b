/** The payment gateways and their fees. */
import type { PaymentRow } from "@gateway/shared/billing/payment";
import { paymentTypes } from "@gateway/shared/billing/payment-types";
import { Box, Button, Group, Switch, Text } from "@mantine/core";
import { IconCreditCard, IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { PaymentIcon } from "#components/icons/payment-icon.tsx";
import { NEW, useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { gatewayParams } from "#lib/address/list-queries.ts";
import { useMayChange } from "#lib/changes.ts";
import { formatMoney } from "#lib/format/money.ts";
import { confirmDeletion } from "#ui/confirm.tsx";
import { CopyCode } from "#ui/copy.tsx";
import { Empty } from "#ui/empty.tsx";
import { InlineNumber } from "#ui/form/inline-number.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { RelativeTime } from "#ui/relative-time.tsx";
import { Short } from "#ui/short.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, NoMatches, SearchBox } from "#ui/table/filters.tsx";
import { pagedList } from "#ui/table/paged-list.ts";
import { EditButtons } from "#ui/table/row-buttons.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { fetchGateway, gatewaysQuery, useDeleteGateway, usePatchGateway } from "./api.ts";
import { typeTitles } from "./gateway-labels.ts";
import { useGatewaySwitch } from "./use-gateway-switch.ts";

const GatewayDrawer = lazyPart(() => import("./gateway-drawer.tsx").then((module) => module.GatewayDrawer));

const noFilters = { name: "", uuid: "", type: "", currency: "" } as const;

export function GatewayList() {
  const { t } = useTranslation("payments");
  const [params, setParams] = useListParams(gatewayParams);
  const gateways = useQuery(gatewaysQuery({ ...params, order: params.order || "-sort" }));
  const remove = useDeleteGateway();
  const edits = useMayChange();
  const edited = useDrawerParam();
  const columns = useMemo(() => gatewayColumns(t), [t]);
  const filtered = params.name !== "" || params.uuid !== "" || params.type !== "" || params.currency !== "";

  const drawer = {
    onClose: edited.close,
    onUnfinished: (gateway: PaymentRow) => edited.replace(gateway.id),
  };

  const destroy = async (gateway: PaymentRow) => {
    await confirmDeletion(
      {
        title: t("Delete the payment gateway {{name}}?", { name: gateway.name }),
        body: t(
          "New payments are no longer possible. Orders are kept, and pending payments are still credited.",
        ),
      },
      () => remove.mutateAsync(gateway.id),
    );
  };

  return (
    <>
      <DataTable
        id="payment-gateways"
        views="payment-gateways"
        label={t("Payment gateways")}
        columns={columns}
        {...pagedList(gateways, params, setParams)}
        rowKey={(gateway) => String(gateway.id)}
        onOpen={(gateway) => edited.open(gateway.id)}
        rowActions={(gateway) => (
          <EditButtons onEdit={() => edited.open(gateway.id)} onDelete={() => void destroy(gateway)} />
        )}
        toolbar={
          <>
            <SearchBox value={params.name} onChange={(name) => setParams({ name })} placeholder={t("Name")} />
            <FilterSheet active={params.type === "" ? 0 : 1}>
              <FilterSelect
                label={t("Type")}
                value={params.type}
                onChange={(type) => setParams({ type: paymentTypes.find((one) => one === type) ?? "" })}
                data={paymentTypes.map((value) => ({ value, label: t(typeTitles[value]) }))}
              />
            </FilterSheet>
          </>
        }
        empty={
          filtered ? (
            <NoMatches title={t("No payment gateway matches")} onClear={() => setParams(noFilters)} />
          ) : (
            <Empty
              icon={IconCreditCard}
              title={t("No payment gateways yet")}
              hint={t("Add a payment gateway so that users can top up.")}
              action={
                edits ? (
                  <Button leftSection={<IconPlus size={16} />} onClick={() => edited.open(NEW)}>
                    {t("New payment gateway")}
                  </Button>
                ) : null
              }
            />
          )
        }
      />
      <OpenedRow
        opened={edited}
        rows={gateways.data?.data}
        keyOf={(gateway) => String(gateway.id)}
        load={fetchGateway}
        create={edits ? <GatewayDrawer key={NEW} gateway={undefined} {...drawer} /> : undefined}
      >
        {(gateway) => <GatewayDrawer key={gateway.id} gateway={gateway} {...drawer} />}
      </OpenedRow>
    </>
  );
}

function gatewayColumns(t: TFunction<"payments">): Column<PaymentRow>[] {
  return [
    {
      id: "name",
      title: t("Name"),
      fixed: true,
      sortable: true,
      width: 200,
      cell: (gateway) => (
        <Group gap="sm" wrap="nowrap">
          <PaymentIcon icon={gateway.icon} size={22} />
          <Box miw={0}>
            <Short strong text={gateway.name} width={260} />
            <Text c="dimmed" fz="xs">
              {t(typeTitles[gateway.type])}
            </Text>
          </Box>
        </Group>
      ),
    },
    {
      id: "enable",
      title: t("Enabled"),
      sortable: true,
      cell: (gateway) => <EnableSwitch gateway={gateway} />,
    },
    { id: "currency", title: t("Currency"), card: "fact", cell: (gateway) => gateway.currency },
    { id: "fees", title: t("Fees"), card: "fact", cell: (gateway) => feesText(gateway) },
    {
      id: "sort",
      title: t("Position"),
      align: "right",
      sortable: true,
      width: 90,
      cell: (gateway) => <SortField gateway={gateway} />,
    },
    {
      id: "notify_url",
      title: t("Notification URL"),
      card: "none",
      cell: (gateway) => (
        <CopyCode
          text={gateway.notify_url}
          label={t("Notification URL")}
          shown={`…/${gateway.uuid.slice(0, 8)}`}
        />
      ),
    },
    {
      id: "created_at",
      title: t("Created"),
      sortable: true,
      hidden: true,
      cell: (gateway) => <RelativeTime inList seconds={gateway.created_at} />,
    },
    { id: "id", title: "ID", align: "right", sortable: true, hidden: true, cell: (gateway) => gateway.id },
  ];
}

/** "5 % + $0.30", or a dash. */
function feesText({ percent_fee, fixed_fee }: PaymentRow): string {
  const parts = [
    percent_fee > 0 ? `${Number((percent_fee * 100).toFixed(2))}%` : "",
    fixed_fee > 0 ? formatMoney(fixed_fee, "USD") : "",
  ].filter((part) => part !== "");
  return parts.join(" + ") || "–";
}

function EnableSwitch({ gateway }: { gateway: PaymentRow }) {
  const { t } = useTranslation("payments");
  const edits = useMayChange();
  const toggle = useGatewaySwitch(gateway);
  return (
    <Switch
      size="xs"
      aria-label={t("Enable {{name}}", { name: gateway.name })}
      checked={gateway.enable}
      disabled={!edits || toggle.isPending}
      onChange={() => toggle.mutate(!gateway.enable)}
    />
  );
}

function SortField({ gateway }: { gateway: PaymentRow }) {
  const { t } = useTranslation("payments");
  const patch = usePatchGateway();
  return (
    <InlineNumber
      label={t("Position of {{name}}", { name: gateway.name })}
      value={gateway.sort}
      check={(value) => {
        if (!Number.isInteger(value)) return t("A whole number is required");
        return value < 0 ? t("The position cannot be less than 0") : null;
      }}
      onSave={(sort) => patch.mutateAsync({ id: gateway.id, patch: { sort } })}
    />
  );
}

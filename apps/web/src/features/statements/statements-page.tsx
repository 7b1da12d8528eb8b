/** The spending of the current month with its forecast and budget, and the statements of closed months. */
import type { StatementMonth } from "@gateway/shared/billing/statement";
import { ActionIcon, Button, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { IconDownload, IconFileInvoice } from "@tabler/icons-react";
import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { amountColumn } from "#components/amount.tsx";
import { BudgetBars } from "#components/budgets/budget-bars.tsx";
import { MonthForecast } from "#components/budgets/month-forecast.tsx";
import { exportStatement } from "#components/usage/export-statement.ts";
import { StatementLines } from "#components/usage/statement-lines.tsx";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { paging } from "#lib/address/params.ts";
import { type Formatters, useFormat } from "#lib/format/quota.ts";
import { ownBudgetQuery } from "#lib/queries/budgets.ts";
import { useSelf } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page, Section } from "#ui/page/page.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { running, statementQuery, statementsQuery } from "./api.ts";

const StatementDrawer = lazyPart(() =>
  import("#components/usage/statement-drawer.tsx").then((module) => module.StatementDrawer),
);
const AccountBudgetDialog = lazyPart(() =>
  import("./account-budget-dialog.tsx").then((module) => module.AccountBudgetDialog),
);

const listParams = { ...paging };

export function prefetch(client: QueryClient): Promise<unknown> {
  return Promise.all([client.prefetchQuery(ownBudgetQuery), client.prefetchQuery(statementQuery(running))]);
}

export default function StatementsPage() {
  const { t } = useTranslation("statements");
  return (
    <Page title={t("Statements")} description={t("Your spending by month, and a budget for your account.")}>
      <BudgetSection />
      <RunningMonth />
      <ClosedMonths />
    </Page>
  );
}

function BudgetSection() {
  const { t } = useTranslation("statements");
  const budgets = useQuery(ownBudgetQuery);
  const dialog = useDrawerParam("budget");
  const limit = budgets.data?.own.limit ?? 0;
  return (
    <Section
      title={t("Monthly budget")}
      hint={t("Applies to all API keys of your account together.")}
      aside={
        <Button
          variant={limit === 0 ? "filled" : "default"}
          size="xs"
          disabled={!budgets.data}
          onClick={() => dialog.open("own")}
        >
          {limit === 0 ? t("Set a budget") : t("Change budget")}
        </Button>
      }
    >
      {budgets.data ? (
        <>
          <MonthForecast own={budgets.data.own} month={budgets.data.month} />
          {budgets.data.account.length === 0 ? null : (
            <section aria-label={t("Set by the administrator")} style={{ marginTop: 20 }}>
              <BudgetBars uses={budgets.data.account} />
            </section>
          )}
        </>
      ) : (
        <QueryFallback query={budgets}>
          <Skeleton height={110} />
        </QueryFallback>
      )}
      {dialog.key !== "" && budgets.data ? (
        <AccountBudgetDialog budget={budgets.data.own} month={budgets.data.month} onClose={dialog.close} />
      ) : null}
    </Section>
  );
}

function RunningMonth() {
  const { t } = useTranslation("statements");
  const lines = useQuery(statementQuery(running));
  const month = lines.data?.[0]?.date.slice(0, 7);
  return (
    <Section
      title={month === undefined ? t("This month so far") : t("{{month}} so far", { month })}
      hint={t("The month in UTC, as its statement will contain it. Failed calls are not charged.")}
      aside={
        lines.data && lines.data.length > 0 ? (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={15} />}
            onClick={() => exportStatement(`statement-${month ?? ""}-so-far`, lines.data)}
          >
            {t("Export")}
          </Button>
        ) : null
      }
    >
      {!lines.data ? (
        <QueryFallback query={lines}>
          <Skeleton height={22} />
        </QueryFallback>
      ) : lines.data.length === 0 ? (
        <Text fz="sm">{t("No spending this month. Charged calls appear here within a minute.")}</Text>
      ) : (
        <StatementLines lines={lines.data} label={t("This month so far")} />
      )}
    </Section>
  );
}

function ClosedMonths() {
  const { t } = useTranslation("statements");
  const format = useFormat();
  const client = useQueryClient();
  const [params, setParams] = useListParams(listParams);
  const { page, size } = params;
  const months = useQuery(statementsQuery({ page, size }));
  const opened = useDrawerParam("month");
  const download = useMutation({
    mutationFn: async (date: string) =>
      exportStatement(`statement-${date.slice(0, 7)}`, await client.fetchQuery(statementQuery(date))),
  });
  const startDownload = download.mutate;
  const columns = useMemo(() => monthColumns(t, format, startDownload), [t, format, startDownload]);
  return (
    <>
      <DataTable
        id="own-statements"
        label={t("Monthly statements")}
        toolbar={
          // As far from the border as the cells below.
          <Title order={2} fz="md" lh="36px" pl={4}>
            {t("Monthly statements")}
          </Title>
        }
        columns={columns}
        rows={months.data?.data}
        rowKey={(row) => row.date}
        fetching={months.isPlaceholderData}
        error={months.error}
        onRetry={() => void months.refetch()}
        onOpen={(row) => opened.open(row.date)}
        paging={{ kind: "pages", page, size, total: months.data?.total_count, onChange: setParams }}
        empty={
          <Empty
            compact
            icon={IconFileInvoice}
            title={t("No statements yet")}
            hint={t("A statement is created one day after its month ends (UTC). Its figures do not change.")}
          />
        }
      />
      {opened.key === "" ? null : <OpenedStatement date={opened.key} onClose={opened.close} />}
    </>
  );
}

function OpenedStatement({ date, onClose }: { date: string; onClose: () => void }) {
  const { t } = useTranslation("statements");
  const self = useSelf();
  const lines = useQuery(statementQuery(date));
  return (
    <StatementDrawer
      title={t("Statement {{month}}", { month: date.slice(0, 7) })}
      account={self?.display_name || self?.username}
      lines={lines.data}
      error={lines.error}
      onRetry={() => void lines.refetch()}
      fileName={`statement-${date.slice(0, 7)}`}
      onClose={onClose}
    />
  );
}

function monthColumns(
  t: TFunction<"statements">,
  format: Formatters,
  download: (date: string) => void,
): Column<StatementMonth>[] {
  return [
    { id: "date", title: t("Month"), fixed: true, width: 160, cell: (row) => row.date.slice(0, 7) },
    amountColumn({ id: "quota", title: t("Charged"), card: "fact" }, (row) => row.quota),
    {
      id: "request_count",
      title: t("Successful calls"),
      align: "right",
      card: "fact",
      cell: (row) => format.whole(row.request_count),
    },
    {
      id: "tokens",
      title: t("Token count"),
      align: "right",
      card: "line",
      cell: (row) => format.short(row.prompt_tokens + row.completion_tokens),
    },
    {
      id: "download",
      title: t("Download"),
      align: "right",
      cell: (row) => {
        const label = t("Download the statement {{month}}", { month: row.date.slice(0, 7) });
        return (
          <Tooltip label={label}>
            <ActionIcon
              aria-label={label}
              onClick={(event) => {
                event.stopPropagation();
                download(row.date);
              }}
            >
              <IconDownload size={17} />
            </ActionIcon>
          </Tooltip>
        );
      },
    },
  ];
}

/** Closed months: usage by user, and by model. */
import type { StatementUser } from "@gateway/shared/billing/statement";
import { Button, Card, Select, Skeleton } from "@mantine/core";
import { IconDownload, IconFileInvoice } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { amountColumn } from "#components/amount.tsx";
import { StatementDrawer } from "#components/usage/statement-drawer.tsx";
import {
  closedMonthsQuery,
  fetchStatementUser,
  statementOfUserQuery,
  statementUsersQuery,
} from "#features/analytics/api.ts";
import { useDrawerParam } from "#lib/address/drawer-param.ts";
import { useListParams } from "#lib/address/list-params.ts";
import { paging, textParam } from "#lib/address/params.ts";
import { downloadCsv } from "#lib/format/csv.ts";
import { type Formatters, useFormat } from "#lib/format/quota.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { OpenedRow } from "#ui/page/opened-row.tsx";
import { DataTable } from "#ui/table/data-table.tsx";
import { SearchBox } from "#ui/table/filters.tsx";
import type { Column } from "#ui/table/table-model.ts";
import { MakeStatements } from "./make-statements.tsx";

const listParams = { ...paging, month: textParam(), keyword: textParam() };
const rowsPerRequest = 100;

export function StatementsTab() {
  const { t } = useTranslation("analytics");
  const months = useQuery(closedMonthsQuery);
  if (!months.data)
    return (
      <QueryFallback query={months}>
        <Skeleton height={320} radius="lg" />
      </QueryFallback>
    );
  if (months.data.length === 0)
    return (
      <Card padding={0}>
        <Empty
          icon={IconFileInvoice}
          title={t("No statements yet")}
          hint={t(
            "Statements are created one day after a month ends (UTC). Their figures do not change afterward.",
          )}
          action={<MakeStatements made={[]} />}
        />
      </Card>
    );
  return <StatementList months={months.data.map((month) => month.date)} />;
}

function StatementList({ months }: { months: string[] }) {
  const { t } = useTranslation("analytics");
  const format = useFormat();
  const client = useQueryClient();
  const [params, setParams] = useListParams(listParams);
  const opened = useDrawerParam("statement");
  const date =
    months.find((month) => month.startsWith(params.month) && params.month !== "") ?? months[0] ?? "";
  const { keyword, page, size, order } = params;
  const users = useQuery(statementUsersQuery({ date, keyword, page, size, order }));
  const columns = useMemo(() => userColumns(t, format), [t, format]);
  const exporting = useMutation({
    mutationFn: async () => {
      const rows: StatementUser[] = [];
      for (let next = 1, total = 1; rows.length < total; next += 1) {
        const listing = { date, keyword, page: next, size: rowsPerRequest, order: "-quota" };
        const part = await client.fetchQuery(statementUsersQuery(listing));
        if (part.data.length === 0) break;
        rows.push(...part.data);
        total = part.total_count;
      }
      downloadCsv(`statements-${date.slice(0, 7)}.csv`, [
        ["month", "user_id", "username", "requests", "points", "input_tokens", "output_tokens", "time_ms"],
        ...rows.map((row) => [
          date.slice(0, 7),
          row.user_id,
          row.username,
          row.request_count,
          row.quota,
          row.prompt_tokens,
          row.completion_tokens,
          row.request_time,
        ]),
      ]);
    },
  });
  return (
    <>
      <DataTable
        id="statements"
        views="statements"
        label={t("Monthly statements")}
        columns={columns}
        rows={users.data?.data}
        rowKey={(row) => String(row.user_id)}
        fetching={users.isPlaceholderData}
        error={users.error}
        onRetry={() => void users.refetch()}
        order={order}
        onOrder={(next) => setParams({ order: next })}
        onOpen={(row) => opened.open(row.username)}
        paging={{ kind: "pages", page, size, total: users.data?.total_count, onChange: setParams }}
        toolbar={
          <>
            <Select
              aria-label={t("Month")}
              w={140}
              data={months.map((month) => ({ value: month, label: month.slice(0, 7) }))}
              value={date}
              allowDeselect={false}
              onChange={(month) => setParams({ month: (month ?? "").slice(0, 7) })}
            />
            <SearchBox
              value={keyword}
              onChange={(next) => setParams({ keyword: next })}
              placeholder={t("Username")}
            />
          </>
        }
        tools={
          <>
            <MakeStatements made={months} shown={date} />
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              loading={exporting.isPending}
              onClick={() => exporting.mutate()}
            >
              {t("Export")}
            </Button>
          </>
        }
        empty={<Empty title={t("No results")} />}
      />
      <OpenedRow
        opened={opened}
        rows={users.data?.data}
        keyOf={(row) => row.username}
        load={(username) => fetchStatementUser(date, username)}
      >
        {(user) => <UserMonth date={date} user={user} onClose={opened.close} />}
      </OpenedRow>
    </>
  );
}

function UserMonth({ date, user, onClose }: { date: string; user: StatementUser; onClose: () => void }) {
  const lines = useQuery(statementOfUserQuery(date, user.user_id));
  return (
    <StatementDrawer
      title={`${user.username} · ${date.slice(0, 7)}`}
      lines={lines.data}
      error={lines.error}
      onRetry={() => void lines.refetch()}
      fileName={`statement-${user.username}-${date.slice(0, 7)}`}
      onClose={onClose}
    />
  );
}

function userColumns(t: TFunction<"analytics">, format: Formatters): Column<StatementUser>[] {
  const number = (
    id: keyof StatementUser,
    title: string,
    print: (value: number) => string,
    card: "fact" | "line",
  ): Column<StatementUser> => ({
    id,
    title,
    align: "right",
    sortable: true,
    card,
    cell: (row) => print(Number(row[id])),
  });
  return [
    {
      id: "username",
      title: t("Username"),
      fixed: true,
      sortable: true,
      width: 220,
      cell: (row) => row.username,
    },
    amountColumn({ id: "quota", title: t("Charged"), sortable: true, card: "fact" }, (row) => row.quota),
    number("request_count", t("Successful calls"), format.whole, "fact"),
    number("prompt_tokens", t("Input tokens"), format.whole, "line"),
    number("completion_tokens", t("Output tokens"), format.whole, "line"),
  ];
}

/** Exports all rows of the filtered list as CSV. Independent of the type of rows. */
import type { Page } from "@gateway/shared/paging";
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { downloadCsv } from "#lib/format/csv.ts";
import { toast } from "#ui/toast.tsx";

/** More rows would exceed the console's rate limit per address. */
const mostRows = 10_000;

type Slice = { page: number; size: number; order: string };

type ListExportProps<Row> = {
  /** File name, before the date. */
  name: string;
  /** Title and cell of each column. */
  fields: readonly (readonly [string, (row: Row) => string | number])[];
  fetchPage: (slice: Slice) => Promise<Page<Row>>;
};

export function ListExport<Row>(props: ListExportProps<Row>) {
  const { t } = useTranslation();
  const run = useMutation({
    mutationFn: () => exportList(props),
    onSuccess: ({ count, complete }) => {
      if (!complete) toast.info(t("Only the first {{count}} rows were exported", { count }));
    },
  });
  return (
    <Tooltip label={t("Export as CSV")}>
      <ActionIcon
        size={34}
        aria-label={t("Export as CSV")}
        loading={run.isPending}
        onClick={() => run.mutate()}
      >
        <IconDownload size={18} stroke={1.7} />
      </ActionIcon>
    </Tooltip>
  );
}

async function exportList<Row>({ name, fields, fetchPage }: ListExportProps<Row>) {
  const rows: Row[] = [];
  let total = 1;
  for (let page = 1; rows.length < Math.min(total, mostRows); page += 1) {
    // Sorted by id, so that no row moves to another page during the export.
    const answer = await fetchPage({ page, size: 100, order: "id" });
    total = answer.total_count;
    rows.push(...answer.data);
    if (answer.data.length === 0) break;
  }
  const table = [fields.map(([title]) => title), ...rows.map((row) => fields.map(([, cell]) => cell(row)))];
  downloadCsv(`${name}-${new Date().toISOString().slice(0, 10)}.csv`, table);
  return { count: rows.length, complete: rows.length >= total };
}

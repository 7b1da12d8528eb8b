/** Everybody the filters let through, as a file for spreadsheets. */
import type { UserListRow, UserQuery } from "@gateway/shared/user";
import { ActionIcon, Tooltip } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { downloadCsv } from "#lib/csv.ts";
import { formatTime } from "#lib/quota.ts";
import { toast } from "#ui/toast.tsx";
import { fetchUsers } from "./api.ts";

/** More would use up what one address may ask the console. */
const mostRows = 10_000;
const pageSize = 100;

const time = (seconds: number | null) => (seconds ? formatTime(seconds) : "");

const fields: [string, (row: UserListRow) => string | number][] = [
  ["id", (row) => row.id],
  ["username", (row) => row.username],
  ["display_name", (row) => row.display_name],
  ["email", (row) => row.email ?? ""],
  ["group", (row) => row.group],
  ["role", (row) => row.role],
  ["status", (row) => row.status],
  ["balance_points", (row) => row.quota],
  ["used_points", (row) => row.used_quota],
  ["requests", (row) => row.request_count],
  ["linked", (row) => row.providers.join(" ")],
  ["second_factor", (row) => (row.totp_enabled ? 1 : 0)],
  ["last_sign_in", (row) => time(row.last_login_time)],
  ["last_address", (row) => row.last_login_ip],
  ["created", (row) => time(row.created_time)],
];

async function exportUsers(query: UserQuery): Promise<{ count: number; complete: boolean }> {
  // By id, so that nobody moves between two pages while they are read.
  const ordered = { ...query, size: pageSize, order: "id" };
  const rows: UserListRow[] = [];
  let total = 1;
  for (let page = 1; rows.length < Math.min(total, mostRows); page += 1) {
    const answer = await fetchUsers({ ...ordered, page });
    total = answer.total_count;
    rows.push(...answer.data);
    if (answer.data.length === 0) break;
  }
  const table = [fields.map(([name]) => name), ...rows.map((row) => fields.map(([, value]) => value(row)))];
  downloadCsv(`users-${new Date().toISOString().slice(0, 10)}.csv`, table);
  return { count: rows.length, complete: rows.length >= total };
}

export function UserExport({ query }: { query: UserQuery }) {
  const { t } = useTranslation();
  const run = useMutation({
    mutationFn: () => exportUsers(query),
    onSuccess: ({ count, complete }) => {
      if (!complete) toast.info(t("Only the first {{count}} are in the file", { count }));
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

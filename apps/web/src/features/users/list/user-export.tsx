/** Exports all users of the filter as a file. */
import type { UserListRow, UserQuery } from "@gateway/shared/accounts/user";
import { formatTime } from "#lib/format/quota.ts";
import { fetchUsers } from "#lib/queries/users.ts";
import { ListExport } from "#ui/table/list-export.tsx";

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

export function UserExport({ query }: { query: UserQuery }) {
  return (
    <ListExport name="users" fields={fields} fetchPage={(slice) => fetchUsers({ ...query, ...slice })} />
  );
}

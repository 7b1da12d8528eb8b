import { Role, roleName } from "@gateway/shared/accounts/roles";
import type { UserQuery } from "@gateway/shared/accounts/user";
import { UserStatus } from "@gateway/shared/accounts/user-status";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { roleTitles } from "#components/role-badge.tsx";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterSelect, SearchBox } from "#ui/table/filters.tsx";

type UserFilterValues = Pick<UserQuery, "keyword" | "role" | "status" | "group">;

export const noFilters: UserFilterValues = { keyword: "", role: 0, status: 0, group: "" };

export function hasUserFilter(query: UserQuery): boolean {
  return query.keyword !== "" || query.role !== 0 || query.status !== 0 || query.group !== "";
}

const roles = [Role.user, Role.reliable, Role.admin, Role.root];

export function UserFilters({
  query,
  onChange,
}: {
  query: UserQuery;
  onChange: (patch: Partial<UserQuery>) => void;
}) {
  const { t } = useTranslation("users");
  const groups = useQuery(groupSymbolsQuery).data ?? [];
  const nameOf = useGroupNames();
  return (
    <>
      <SearchBox
        value={query.keyword}
        onChange={(keyword) => onChange({ keyword })}
        placeholder={t("ID, name, email or group")}
        width={240}
      />
      <FilterSheet active={[query.role, query.status, query.group].filter(Boolean).length}>
        <FilterSelect
          label={t("Role")}
          value={query.role === 0 ? "" : String(query.role)}
          onChange={(role) => onChange({ role: Number(role) })}
          data={roles.map((role) => ({ value: String(role), label: t(roleTitles[roleName(role)]) }))}
        />
        <FilterSelect
          label={t("Status")}
          value={query.status === 0 ? "" : String(query.status)}
          onChange={(status) => onChange({ status: Number(status) })}
          data={[
            { value: String(UserStatus.enabled), label: t("Enabled") },
            { value: String(UserStatus.disabled), label: t("Disabled") },
          ]}
        />
        <FilterSelect
          label={t("Group")}
          value={query.group}
          onChange={(group) => onChange({ group })}
          data={groups.map((symbol) => ({ value: symbol, label: nameOf(symbol) }))}
        />
      </FilterSheet>
    </>
  );
}

/** Filters of both lists of tasks, kept in the address. */
import { Button, Indicator, Popover, Stack } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TaskFilter } from "#lib/address/list-queries.ts";
import { TimeField } from "#ui/form/time-field.tsx";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterText } from "#ui/table/filter-text.tsx";
import { ClearFilters, FilterSelect } from "#ui/table/filters.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { TaskScope } from "./api.ts";
import { actionWord, statuses, statusLabels } from "./task-labels.ts";

type TaskFiltersProps = {
  query: TaskFilter;
  onChange: (patch: Partial<TaskFilter>) => void;
  scope: TaskScope;
  actions: readonly string[];
  /** Filters of only one of the lists. */
  children?: ReactNode;
};

const rare = ["user_id", "channel_id", "start_timestamp", "end_timestamp"] as const;

export const noNarrowing: Partial<TaskFilter> = {
  platform: "",
  action: "",
  status: "",
  task_id: "",
  user_id: 0,
  channel_id: 0,
  start_timestamp: 0,
  end_timestamp: 0,
};

export function hasTaskFilter(query: TaskFilter): boolean {
  return Object.entries(noNarrowing).some(([name, none]) => query[name as keyof TaskFilter] !== none);
}

export function TaskFilters({ query, onChange, scope, actions, children }: TaskFiltersProps) {
  const { t } = useTranslation("tasks");
  const phone = useIsPhone();
  const hidden = rare.filter((field) => query[field] !== 0).length;
  const status = statuses.find((known) => known === query.status) ?? "";
  const active = Object.entries(noNarrowing).filter(
    ([name, none]) => query[name as keyof TaskFilter] !== none,
  );
  return (
    <FilterSheet active={active.length}>
      {children}
      <FilterSelect
        label={t("Type")}
        value={query.action}
        onChange={(action) => onChange({ action })}
        data={actions.map((action) => ({ value: action, label: t(actionWord(action)) }))}
      />
      <FilterSelect
        label={t("Status")}
        value={status}
        onChange={(next) => onChange({ status: statuses.find((known) => known === next) ?? "" })}
        data={statuses.map((known) => ({ value: known, label: t(statusLabels[known].text) }))}
      />
      <FilterText
        label={t("Task ID")}
        width={phone ? "100%" : 180}
        value={query.task_id}
        onChange={(task_id) => onChange({ task_id })}
      />
      <Popover position="bottom-start" width={260} trapFocus={!phone}>
        <Indicator label={hidden} size={16} disabled={hidden === 0} offset={3}>
          <Popover.Target>
            <Button variant="default" fw={500} leftSection={<IconFilter size={15} />}>
              {t("More")}
            </Button>
          </Popover.Target>
        </Indicator>
        <Popover.Dropdown>
          <Stack gap="xs">
            <TimeField
              label={t("From time")}
              value={query.start_timestamp}
              onChange={(start_timestamp) => onChange({ start_timestamp })}
            />
            <TimeField
              label={t("Until time")}
              value={query.end_timestamp}
              onChange={(end_timestamp) => onChange({ end_timestamp })}
            />
            {scope === "everybody" ? (
              <>
                <IdField
                  label={t("User ID")}
                  value={query.user_id}
                  onChange={(user_id) => onChange({ user_id })}
                />
                <IdField
                  label={t("Channel ID")}
                  value={query.channel_id}
                  onChange={(channel_id) => onChange({ channel_id })}
                />
              </>
            ) : null}
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {hasTaskFilter(query) ? <ClearFilters onClear={() => onChange(noNarrowing)} /> : null}
    </FilterSheet>
  );
}

type NumberFilter = { label: string; value: number; onChange: (value: number) => void };

function IdField({ label, value, onChange }: NumberFilter) {
  return (
    <FilterText
      label={label}
      width="100%"
      value={value === 0 ? "" : String(value)}
      onChange={(text) => onChange(/^\d{1,9}$/.test(text) ? Number(text) : 0)}
    />
  );
}

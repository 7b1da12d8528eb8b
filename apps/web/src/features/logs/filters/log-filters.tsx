/** The filters of the list, kept in the address. */
import type { LogFacets } from "@gateway/shared/usage/log";
import { outcomes } from "@gateway/shared/usage/outcomes";
import { Button, Indicator, Popover, Select, Stack } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import type { LogScope } from "#features/logs/api.ts";
import { shortReason } from "#features/logs/failure.ts";
import { outcomeText } from "#features/logs/log-labels.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useCan, useMayEnter } from "#lib/session.ts";
import { FilterSheet } from "#ui/table/filter-sheet.tsx";
import { FilterText } from "#ui/table/filter-text.tsx";
import { ClearFilters } from "#ui/table/filters.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { ChannelPicker } from "./channel-picker.tsx";
import { type FacetOption, FacetPicker } from "./facet-picker.tsx";
import { countNarrowing, type LogFilter, noNarrowing } from "./log-filter.ts";
import { RangeFilter } from "./range-filter.tsx";

type LogFiltersProps = {
  filter: LogFilter;
  onChange: (patch: Partial<LogFilter>) => void;
  scope: LogScope;
  /** Undefined while loading. */
  facets: LogFacets | undefined;
};

export function LogFilters(props: LogFiltersProps) {
  const { filter, onChange } = props;
  const phone = useIsPhone();
  const count = countNarrowing(filter);
  if (phone) return <PhoneFilters {...props} count={count} />;
  return (
    <>
      <RangeFilter filter={filter} onChange={onChange} />
      <MainFilters {...props} />
      <RareFilters {...props} />
      {count > 0 ? <ClearFilters onClear={() => onChange(noNarrowing)} /> : null}
    </>
  );
}

/** All filters on a sheet, for phones. */
function PhoneFilters(props: LogFiltersProps & { count: number }) {
  const { filter, onChange, count } = props;
  return (
    <>
      <RangeFilter filter={filter} onChange={onChange} />
      <FilterSheet active={count}>
        <MainFilters {...props} />
        <RareFields {...props} />
        {count > 0 ? <ClearFilters onClear={() => onChange(noNarrowing)} /> : null}
      </FilterSheet>
    </>
  );
}

function RareFilters(props: LogFiltersProps) {
  const { t } = useTranslation("logs");
  const { request_id, source_ip, billing_tag, session, derived_key } = props.filter;
  const hidden = [request_id, source_ip, billing_tag, session, derived_key].filter(
    (value) => value !== "",
  ).length;
  return (
    <Popover position="bottom-start" width={300} trapFocus>
      <Indicator label={hidden} size={16} disabled={hidden === 0} offset={3}>
        <Popover.Target>
          <Button variant="default" fw={500} px={11} leftSection={<IconFilter size={15} />}>
            {t("More")}
          </Button>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        <Stack gap="xs">
          <RareFields {...props} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function RareFields({ filter, onChange, facets }: LogFiltersProps) {
  const { t } = useTranslation("logs");
  const admin = useMayEnter("logs");
  const seesTags = useCan("seeBillingTag");
  return (
    <>
      <FilterText
        label={t("Request ID")}
        width="100%"
        value={filter.request_id}
        onChange={(request_id) => onChange({ request_id })}
      />
      <FilterText
        label={t("Source IP")}
        width="100%"
        value={filter.source_ip}
        onChange={(source_ip) => onChange({ source_ip })}
      />
      <FacetPicker
        label={t("Session")}
        value={filter.session}
        options={(facets?.session ?? []).map(({ value, count }) => ({ value, label: value, count }))}
        onChange={(session) => onChange({ session })}
        free
      />
      <FilterText
        label={t("Derived key")}
        width="100%"
        value={filter.derived_key}
        onChange={(derived_key) => onChange({ derived_key })}
      />
      {seesTags ? (
        <FilterText
          label={t("Billing tag")}
          width="100%"
          value={filter.billing_tag}
          onChange={(billing_tag) => onChange({ billing_tag })}
        />
      ) : null}
      {admin ? (
        <Select
          label={t("Calls of")}
          data={[
            { value: "", label: t("All users'") },
            { value: "own", label: t("Only mine") },
          ]}
          value={filter.view}
          allowDeselect={false}
          onChange={(view) => onChange({ ...noNarrowing, view: view === "own" ? "own" : "" })}
          comboboxProps={{ withinPortal: false }}
        />
      ) : null}
    </>
  );
}

function MainFilters({ filter, onChange, scope, facets }: LogFiltersProps) {
  const { t } = useTranslation("logs");
  const models = useQuery(modelsQuery).data;
  const seesChannels = useMayEnter("channels");
  const everybody = scope === "everybody";
  const counted: FacetOption[] = (facets?.model_name ?? []).map(({ value, count }) => ({
    value,
    label: value,
    count,
    icon: <ModelIcon model={value} size={15} />,
  }));
  const others = Object.keys(models ?? {})
    .filter((model) => !counted.some(({ value }) => value === model))
    .sort()
    .map((model) => ({ value: model, label: model, icon: <ModelIcon model={model} size={15} /> }));
  const plain = (values: { value: string; count: number }[] | undefined): FacetOption[] =>
    (values ?? []).map(({ value, count }) => ({ value, label: value, count }));
  return (
    <>
      <FacetPicker
        label={t("Outcome")}
        value={filter.outcome}
        valueLabel={filter.outcome === "" ? "" : t(outcomeText(filter.outcome))}
        options={(facets?.outcome ?? []).map(({ value, count }) => ({
          value,
          label: t(outcomeText(value)),
          count,
        }))}
        onChange={(outcome) => onChange({ outcome: outcomes.find((one) => one === outcome) ?? "" })}
      />
      <FacetPicker
        label={t("Reason")}
        value={filter.error_code}
        valueLabel={shortReason(t, filter.error_code)}
        options={(facets?.error_code ?? []).map(({ value, count }) => ({
          value,
          label: shortReason(t, value),
          count,
        }))}
        onChange={(error_code) => onChange({ error_code })}
        free
      />
      <FacetPicker
        label={t("Model")}
        value={filter.model_name}
        options={[...counted, ...others]}
        onChange={(model_name) => onChange({ model_name })}
        free
      />
      {everybody && seesChannels ? (
        <ChannelPicker
          value={filter.channel_id}
          facets={facets}
          onChange={(channel_id) => onChange({ channel_id })}
        />
      ) : null}
      {everybody ? (
        <FacetPicker
          label={t("Username")}
          value={filter.username}
          options={plain(facets?.username)}
          onChange={(username) => onChange({ username })}
          free
        />
      ) : null}
      <FacetPicker
        label={t("Token")}
        value={filter.token_name}
        options={plain(facets?.token_name)}
        onChange={(token_name) => onChange({ token_name })}
        free
      />
    </>
  );
}

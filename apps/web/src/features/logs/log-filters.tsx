/** What narrows the list. Everything is written to the address bar. */
import { TokenQuery } from "@gateway/shared/accounts/token";
import { Button, Indicator, Popover, Select, Stack } from "@mantine/core";
import { IconCalendar, IconFilter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { FoundSelect } from "#components/found-select.tsx";
import { phrase } from "#lib/i18n.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { tokensQuery } from "#lib/queries/tokens.ts";
import { useCan, useMayEnter } from "#lib/session.ts";
import { TimeField } from "#ui/form/time-field.tsx";
import { FilterText } from "#ui/table/filter-text.tsx";
import { ClearFilters } from "#ui/table/filters.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { findChannels, nameOfChannel, type Whose } from "./api.ts";
import { countNarrowing, type LogFilter, noNarrowing, type Range, ranges, windowOf } from "./log-filter.ts";

type Props = { filter: LogFilter; onChange: (patch: Partial<LogFilter>) => void; whose: Whose };

const rangeTexts: Record<Range, string> = {
  hour: phrase("Last hour"),
  today: phrase("Today"),
  "7d": phrase("Last 7 days"),
  "30d": phrase("Last 30 days"),
  all: phrase("All time"),
  custom: phrase("Custom time"),
};

export function LogFilters({ filter, onChange, whose }: Props) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const admin = useMayEnter("logs");
  const seesTags = useCan("seeBillingTag");
  const count = countNarrowing(filter);
  const rare = [filter.request_id, filter.source_ip, filter.billing_tag];
  const hidden = phone ? count : rare.filter((value) => value !== "").length;
  const main = <MainFilters filter={filter} onChange={onChange} whose={whose} />;
  return (
    <>
      <RangeFilter filter={filter} onChange={onChange} />
      {phone ? null : main}
      <Popover position="bottom-start" width={300} trapFocus={!phone}>
        <Indicator label={hidden} size={16} disabled={hidden === 0} offset={3}>
          <Popover.Target>
            <Button variant="default" fw={500} leftSection={<IconFilter size={15} />}>
              {phone ? t("Filters") : t("More")}
            </Button>
          </Popover.Target>
        </Indicator>
        <Popover.Dropdown>
          <Stack gap="xs">
            {phone ? main : null}
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
                label={t("Whose calls")}
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
          </Stack>
        </Popover.Dropdown>
      </Popover>
      {count > 0 ? <ClearFilters onClear={() => onChange(noNarrowing)} /> : null}
    </>
  );
}

function MainFilters({ filter, onChange, whose }: Props) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const models = useQuery(modelsQuery).data;
  const seesChannels = useMayEnter("channels");
  const width = (pixels: number) => (phone ? "100%" : pixels);
  return (
    <>
      <FilterText
        label={t("Model")}
        width={width(170)}
        data={Object.keys(models ?? {}).sort()}
        value={filter.model_name}
        onChange={(model_name) => onChange({ model_name })}
      />
      <TokenFilter
        width={width(150)}
        own={whose === "own"}
        value={filter.token_name}
        onChange={(token_name) => onChange({ token_name })}
      />
      {whose === "everybody" ? (
        <>
          <FilterText
            label={t("Username")}
            width={width(130)}
            value={filter.username}
            onChange={(username) => onChange({ username })}
          />
          {seesChannels ? (
            <ChannelFilter
              width={width(150)}
              value={filter.channel_id}
              onChange={(channel_id) => onChange({ channel_id })}
            />
          ) : null}
        </>
      ) : null}
    </>
  );
}

type TokenFilterProps = {
  width: number | string;
  own: boolean;
  value: string;
  onChange: (name: string) => void;
};

/** Names to choose from are one's own; an administrator may type someone else's. */
function TokenFilter({ width, own, value, onChange }: TokenFilterProps) {
  const { t } = useTranslation();
  const mine = useQuery({
    ...tokensQuery(TokenQuery.parse({ size: 100, order: "name" })),
    enabled: own,
  }).data;
  const names = [...new Set(mine?.data.map((token) => token.name))];
  return (
    <FilterText label={t("Token")} width={width} data={own ? names : []} value={value} onChange={onChange} />
  );
}

type ChannelFilterProps = { width: number | string; value: number; onChange: (id: number) => void };

function ChannelFilter({ width, value, onChange }: ChannelFilterProps) {
  const { t } = useTranslation();
  return (
    <FoundSelect
      label={t("Channel")}
      w={width}
      kind="channels"
      find={findChannels}
      nameOf={nameOfChannel}
      value={value}
      onChange={onChange}
    />
  );
}

function RangeFilter({ filter, onChange }: Omit<Props, "whose">) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const choose = (range: Range) => {
    // A custom range begins as what was shown before.
    const before = windowOf(filter, new Date());
    onChange(range === "custom" ? { range, from: before.start_timestamp, to: 0 } : { range, from: 0, to: 0 });
  };
  return (
    <>
      <Select
        aria-label={t("Time")}
        leftSection={<IconCalendar size={15} />}
        w={phone ? "calc(100% - 120px)" : 150}
        data={ranges.map((range) => ({ value: range, label: t(rangeTexts[range]) }))}
        value={filter.range}
        allowDeselect={false}
        checkIconPosition="right"
        onChange={(range) => choose(ranges.find((known) => known === range) ?? "7d")}
      />
      {filter.range === "custom" ? (
        <>
          <TimeField
            aria-label={t("From time")}
            w={phone ? "calc(50% - 4px)" : 190}
            value={filter.from}
            onChange={(from) => onChange({ from })}
          />
          <TimeField
            aria-label={t("Until time")}
            w={phone ? "calc(50% - 4px)" : 190}
            value={filter.to}
            onChange={(to) => onChange({ to })}
          />
        </>
      ) : null}
    </>
  );
}

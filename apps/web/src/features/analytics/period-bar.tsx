import { Select } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DayField } from "#ui/form/time-field.tsx";
import { RefreshButton } from "#ui/refresh-button.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import {
  type AnalyticsParams,
  asCustom,
  type AnalyticsRange,
  type PeriodParams,
  ranges,
  rangeTexts,
} from "./period.ts";
import classes from "./analytics.module.css";

export type AnalyticsView = { params: AnalyticsParams; onChange: (patch: Partial<AnalyticsParams>) => void };

type PeriodBarProps = { params: PeriodParams; onChange: (patch: Partial<PeriodParams>) => void };

/** The selected days, kept in the address. */
export function PeriodBar({ params, onChange }: PeriodBarProps) {
  const { t } = useTranslation("analytics");
  const phone = useIsPhone();
  const client = useQueryClient();
  const choose = (range: AnalyticsRange) =>
    // A custom range starts with the previously shown range.
    onChange(range === "custom" ? asCustom(params, new Date()) : { range, from: "", to: "" });
  return (
    <div className={classes.bar}>
      {params.range === "custom" ? (
        <>
          <DayField
            aria-label={t("From day")}
            w={phone ? "calc(50% - 4px)" : 150}
            value={params.from}
            max={params.to || undefined}
            onChange={(from) => onChange({ from })}
          />
          <DayField
            aria-label={t("Until day")}
            w={phone ? "calc(50% - 4px)" : 150}
            value={params.to}
            min={params.from || undefined}
            onChange={(to) => onChange({ to })}
          />
        </>
      ) : null}
      <Select
        aria-label={t("Time")}
        leftSection={<IconCalendar size={15} />}
        w={phone ? "calc(100% - 44px)" : 160}
        data={ranges.map((range) => ({ value: range, label: t(rangeTexts[range]) }))}
        value={params.range}
        allowDeselect={false}
        checkIconPosition="right"
        onChange={(range) => choose(ranges.find((known) => known === range) ?? "7d")}
      />
      <RefreshButton framed onRefresh={() => client.invalidateQueries({ queryKey: ["analytics"] })} />
    </div>
  );
}

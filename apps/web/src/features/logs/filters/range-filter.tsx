/** The period of the list. */
import { Select } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { dayRangeTexts } from "#lib/address/day-ranges.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { TimeField } from "#ui/form/time-field.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { type LogFilter, type LogRange, logWindow, ranges } from "./log-filter.ts";

const phrase = phrasesIn("logs");

const rangeTexts: Record<LogRange, string> = {
  hour: phrase("Last hour"),
  "24h": phrase("Last 24 hours"),
  ...dayRangeTexts,
  all: phrase("All time"),
  custom: phrase("Custom period"),
};

type RangeFilterProps = { filter: LogFilter; onChange: (patch: Partial<LogFilter>) => void };

export function RangeFilter({ filter, onChange }: RangeFilterProps) {
  const { t } = useTranslation("logs");
  const phone = useIsPhone();
  const choose = (range: LogRange) => {
    // A custom range starts with the previously shown range.
    const before = logWindow(filter, new Date());
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

/** A range of days in the user's time zone. */
import { Button, Popover, Stack } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatTime } from "#lib/format/quota.ts";
import { DayField } from "#ui/form/time-field.tsx";

type DayFilterProps = {
  /** Unix seconds; 0 = open. */
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
};

export function DayFilter({ from, to, onChange }: DayFilterProps) {
  const { t } = useTranslation("payments");
  const label = [dayOf(from), dayOf(to)].filter(
    (day, index, all) => day !== "" && all.indexOf(day) === index,
  );
  return (
    <Popover position="bottom-start" width={240} trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fw={500}
          leftSection={<IconCalendar size={15} />}
          styles={{ label: { fontVariantNumeric: "tabular-nums" } }}
        >
          {label.length === 0 ? t("All time") : label.join(" – ")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <DayField
            label={t("From")}
            value={dayOf(from)}
            max={dayOf(to) || undefined}
            onChange={(day) => onChange(secondOf(day, "00:00:00"), to)}
          />
          <DayField
            label={t("To")}
            value={dayOf(to)}
            min={dayOf(from) || undefined}
            onChange={(day) => onChange(from, secondOf(day, "23:59:59"))}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function dayOf(seconds: number): string {
  return seconds === 0 ? "" : formatTime(seconds).slice(0, 10);
}

/**
 * Uses local time, because a day may have 23 or 25 hours.
 * @returns 0 for no day
 */
function secondOf(day: string, time: string): number {
  return day === "" ? 0 : new Date(`${day}T${time}`).getTime() / 1000;
}

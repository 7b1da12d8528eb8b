/** From one day to another, in the reader's time zone. */
import { Button, Popover, Stack, TextInput } from "@mantine/core";
import { IconCalendar } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { formatTime } from "#lib/quota.ts";

type DayFilterProps = {
  /** Seconds since 1970; 0 = open. */
  from: number;
  to: number;
  onChange: (from: number, to: number) => void;
};

const daySeconds = 86_400;

export function DayFilter({ from, to, onChange }: DayFilterProps) {
  const { t } = useTranslation();
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
          <TextInput
            type="date"
            label={t("From")}
            value={dayOf(from)}
            max={dayOf(to) || undefined}
            onChange={(event) => onChange(startOf(event.currentTarget.value), to)}
          />
          <TextInput
            type="date"
            label={t("To")}
            value={dayOf(to)}
            min={dayOf(from) || undefined}
            onChange={(event) => {
              const start = startOf(event.currentTarget.value);
              onChange(from, start === 0 ? 0 : start + daySeconds - 1);
            }}
          />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function dayOf(seconds: number): string {
  return seconds === 0 ? "" : formatTime(seconds).slice(0, 10);
}

/** 0 for what is no day. */
function startOf(day: string): number {
  const start = new Date(`${day}T00:00:00`).getTime();
  return Number.isNaN(start) ? 0 : Math.max(0, Math.floor(start / 1000));
}

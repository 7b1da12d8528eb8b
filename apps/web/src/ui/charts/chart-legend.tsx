/** The series of a chart. A pointer or the focus on one dims the others; a click keeps it so. */
import { Group, Text, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./stacked-bars.module.css";

export type LegendEntry = {
  name: string;
  label: string;
  color: string;
  /** Name of a model or the like, in monospace. */
  isData: boolean;
};

type ChartLegendProps = {
  entries: readonly LegendEntry[];
  /** The line of the previous period. */
  line: string | undefined;
  /** The series that a click has kept. */
  kept: string | null;
  onPoint: (name: string | null) => void;
  onKeep: (name: string | null) => void;
};

export function ChartLegend({ entries, line, kept, onPoint, onKeep }: ChartLegendProps) {
  const { t } = useTranslation();
  return (
    <Group gap="2px 16px" mt="sm" role="group" aria-label={t("Series")}>
      {entries.map(({ name, label, color, isData }) => (
        <UnstyledButton
          key={name}
          className={classes.series}
          aria-pressed={kept === name}
          onPointerEnter={() => onPoint(name)}
          onPointerLeave={() => onPoint(null)}
          onFocus={() => onPoint(name)}
          onBlur={() => onPoint(null)}
          onClick={() => onKeep(kept === name ? null : name)}
        >
          <span className={classes.swatch} style={{ background: color }} />
          <Text span fz="xs" c="dimmed" truncate title={label} ff={isData ? "monospace" : undefined}>
            {label}
          </Text>
        </UnstyledButton>
      ))}
      {line === undefined ? null : (
        <span className={classes.series}>
          <span className={classes.lineSwatch} />
          <Text span fz="xs" c="dimmed">
            {line}
          </Text>
        </span>
      )}
    </Group>
  );
}

import { ActionIcon, SegmentedControl, Tooltip } from "@mantine/core";
import { type Icon, IconTable } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { metricLabels } from "./metric-labels.ts";
import { type Metric, metrics } from "./period.ts";

type MetricControlProps = { value: Metric; onChange: (metric: Metric) => void };

export function MetricControl({ value, onChange }: MetricControlProps) {
  const { t } = useTranslation("analytics");
  const phone = useIsPhone();
  return (
    <SegmentedControl
      aria-label={t("Metric")}
      size="xs"
      fullWidth={phone}
      w={phone ? "100%" : undefined}
      data={metrics.map((metric) => ({ value: metric, label: t(metricLabels[metric]) }))}
      value={value}
      onChange={onChange}
    />
  );
}

type TableToggleProps = { isTable: boolean; label: string; chart: Icon; onToggle: () => void };

/** Switches between a chart and its table. */
export function TableToggle({ isTable, label, chart: Chart, onToggle }: TableToggleProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon size={34} aria-label={label} onClick={onToggle}>
        {isTable ? <Chart size={18} /> : <IconTable size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

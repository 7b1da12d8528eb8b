import { ActionIcon, Tooltip } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { type Comparison, MAX_COMPARED_MODELS } from "./use-comparison.ts";

/** Adds a model to the comparison, or removes it. */
export function CompareButton({ model, comparison }: { model: string; comparison: Comparison }) {
  const { t } = useTranslation("model-prices");
  const isOn = comparison.models.includes(model);
  const isFull = comparison.isFull && !isOn;
  const label = isFull
    ? t("At most {{count}} models can be compared", { count: MAX_COMPARED_MODELS })
    : isOn
      ? t("Remove from the comparison")
      : t("Compare");
  return (
    <Tooltip label={label}>
      <ActionIcon
        size={26}
        variant={isOn ? "light" : "subtle"}
        color={isOn ? "iris" : "gray"}
        aria-label={`${label}: ${model}`}
        aria-pressed={isOn}
        aria-disabled={isFull || undefined}
        onClick={() => (isFull ? undefined : comparison.toggle(model))}
      >
        <IconColumns3 size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

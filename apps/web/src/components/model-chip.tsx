import { Tooltip, UnstyledButton } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { copyText } from "#ui/copy.tsx";
import { ModelIcon } from "./icons/provider-icon.tsx";
import classes from "./model-chip.module.css";

/** A model with its provider's logo; a click copies the name. */
export function ModelChip({ model }: { model: string }) {
  const { t } = useTranslation();
  return (
    <Tooltip label={t("Copy {{label}}", { label: model })}>
      <UnstyledButton className={classes.chip} onClick={() => void copyText(model, t("Model name"))}>
        <ModelIcon model={model} size={16} />
        <span>{model}</span>
      </UnstyledButton>
    </Tooltip>
  );
}

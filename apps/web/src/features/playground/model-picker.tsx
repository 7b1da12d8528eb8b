/** Up to three models, each in a field of its own. */
import { ActionIcon, Button, Group, Select, type SelectProps, Text, Tooltip } from "@mantine/core";
import { IconColumns2, IconX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { kindOfModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { mostModels } from "./chat.ts";
import classes from "./playground.module.css";

type ModelPickerProps = {
  models: string[];
  chosen: string[];
  onChange: (models: string[]) => void;
  disabled: boolean;
};

/** @param names display names of the catalogue */
const optionOf =
  (names: Readonly<Record<string, string>>): SelectProps["renderOption"] =>
  ({ option: { value } }) => (
    <Group gap={8} wrap="nowrap" miw={0}>
      <ModelIcon model={value} size={16} />
      <div>
        <div>{value}</div>
        {names[value] ? (
          <Text fz="xs" c="dimmed">
            {names[value]}
          </Text>
        ) : null}
      </div>
    </Group>
  );

export function ModelPicker({ models, chosen, onChange, disabled }: ModelPickerProps) {
  const { t } = useTranslation("playground");
  const phone = useIsPhone();
  const catalogue = useQuery(modelsQuery).data ?? {};
  const names = Object.fromEntries(
    Object.entries(catalogue).map(([model, { info }]) => [model, info?.name ?? ""]),
  );
  const unchosen = models.filter((model) => !chosen.includes(model));
  // Only text answers can be compared.
  const isChat = (name: string) => kindOfModel(name, catalogue[name]?.info?.output_modalities) === "chat";
  const next = unchosen.find(isChat) ?? unchosen[0];
  return (
    <div className={classes.pickers}>
      {chosen.map((model, place) => (
        <div key={model} className={classes.picker}>
          <Select
            aria-label={chosen.length > 1 ? t("Model {{number}}", { number: place + 1 }) : t("Model")}
            // A chat may contain a deleted model. It is listed, and its answer shows the error.
            data={[...new Set([model, ...unchosen])].sort((a, b) => a.localeCompare(b))}
            value={model}
            onChange={(name) => name && onChange(chosen.map((old) => (old === model ? name : old)))}
            leftSection={<ModelIcon model={model} size={16} />}
            renderOption={optionOf(names)}
            searchable
            selectFirstOptionOnChange
            allowDeselect={false}
            disabled={disabled}
            nothingFoundMessage={t("No results")}
            limit={200}
            comboboxProps={{ width: 300, position: "bottom-start" }}
          />
          {chosen.length > 1 ? (
            <Tooltip label={t("Remove {{name}}", { name: model })}>
              <ActionIcon
                size={26}
                aria-label={t("Remove {{name}}", { name: model })}
                disabled={disabled}
                onClick={() => onChange(chosen.filter((name) => name !== model))}
              >
                <IconX size={14} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </div>
      ))}
      {chosen.length < mostModels && next !== undefined ? (
        phone ? (
          <Tooltip label={t("Compare with another model")}>
            <ActionIcon
              size={34}
              aria-label={t("Compare with another model")}
              disabled={disabled}
              onClick={() => onChange([...chosen, next])}
            >
              <IconColumns2 size={18} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
        ) : (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconColumns2 size={16} stroke={1.7} />}
            disabled={disabled}
            onClick={() => onChange([...chosen, next])}
          >
            {t("Compare")}
          </Button>
        )
      ) : null}
    </div>
  );
}

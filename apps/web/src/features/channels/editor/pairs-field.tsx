/** Name-value pairs, edited as rows or as JSON. */
import { ActionIcon, Button, Group, SegmentedControl, Stack, TextInput } from "@mantine/core";
import { IconArrowRight, IconPlus, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { JsonField } from "#ui/json/json-field.tsx";
import type { DraftForm } from "./draft.ts";
import type { Pair } from "./draft.ts";
import classes from "#features/channels/channels.module.css";

type PairsFieldProps = {
  form: DraftForm;
  field: "model_mapping" | "model_headers";
  keyLabel: string;
  valueLabel: string;
  keyPlaceholder: string;
  valuePlaceholder: string;
  addLabel: string;
  /** Offered while names or values are typed as JSON. */
  completions?: readonly string[];
};

export function PairsField(props: PairsFieldProps) {
  const { form, field, addLabel, completions = [] } = props;
  const { t } = useTranslation("channels");
  const [view, setView] = useState<"rows" | "json">("rows");
  const rows = form.values[field];
  const write = (next: Pair[] | null) => {
    form.setErrors(
      Object.fromEntries(Object.entries(form.errors).filter(([path]) => path.split(".")[0] !== field)),
    );
    form.setFieldValue(field, next);
  };
  return (
    <Stack gap="sm" className={classes.pairs}>
      {view === "json" ? (
        <PairsJson
          value={rows}
          label={addLabel}
          path={field}
          error={form.errors[field]}
          completions={completions}
          onChange={write}
        />
      ) : (
        <Rows {...props} rows={rows ?? []} onChange={write} />
      )}
      <Group justify="space-between" gap="xs">
        {view === "rows" ? (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            onClick={() => write([...(rows ?? []), { key: "", value: "" }])}
          >
            {addLabel}
          </Button>
        ) : (
          <span />
        )}
        <SegmentedControl
          size="xs"
          aria-label={t("View")}
          // Invalid JSON cannot be shown as rows.
          disabled={rows === null}
          data={[
            { value: "rows", label: t("Rows") },
            { value: "json", label: "JSON" },
          ]}
          value={view}
          onChange={(next) => setView(next === "json" ? "json" : "rows")}
        />
      </Group>
    </Stack>
  );
}

function Rows(props: PairsFieldProps & { rows: Pair[]; onChange: (rows: Pair[]) => void }) {
  const { t } = useTranslation("channels");
  const { form, field, rows, onChange, keyLabel, valueLabel } = props;
  const set = (index: number, patch: Partial<Pair>) =>
    onChange(rows.map((row, at) => (at === index ? { ...row, ...patch } : row)));
  return rows.map((row, index) => {
    // The index is a row's only identity.
    const path = `${field}.${index}`;
    return (
      <Group key={path} gap={8} wrap="nowrap" align="flex-start">
        <TextInput
          flex={1}
          aria-label={`${keyLabel} ${index + 1}`}
          placeholder={props.keyPlaceholder}
          classNames={{ input: classes.mono }}
          data-path={`${path}.key`}
          error={form.errors[`${path}.key`]}
          value={row.key}
          onChange={(event) => set(index, { key: event.currentTarget.value })}
        />
        <IconArrowRight size={15} className={classes.arrow} aria-hidden />
        <TextInput
          flex={1}
          aria-label={`${valueLabel} ${index + 1}`}
          placeholder={props.valuePlaceholder}
          classNames={{ input: classes.mono }}
          data-path={`${path}.value`}
          error={form.errors[`${path}.value`]}
          value={row.value}
          onChange={(event) => set(index, { value: event.currentTarget.value })}
        />
        <ActionIcon
          size={36}
          aria-label={t("Remove row {{row}}", { row: index + 1 })}
          onClick={() => onChange(rows.filter((_, at) => at !== index))}
        >
          <IconX size={15} />
        </ActionIcon>
      </Group>
    );
  });
}

const StringMap = z.record(z.string(), z.string());

type PairsJsonProps = {
  value: Pair[] | null;
  label: string;
  path: string;
  error: React.ReactNode;
  completions: readonly string[];
  onChange: (rows: Pair[] | null) => void;
};

function PairsJson({ value, label, path, error, completions, onChange }: PairsJsonProps) {
  const { t } = useTranslation("channels");
  const change = (parsed: unknown) => {
    const map = StringMap.safeParse(parsed);
    onChange(map.success ? Object.entries(map.data).map(([key, text]) => ({ key, value: text })) : null);
  };
  const shown = (value ?? []).filter((row) => row.key !== "");
  const unfit =
    value === null ? t('Enter a JSON object whose values are strings, such as {"name": "value"}') : error;
  return (
    <JsonField
      aria-label={label}
      data-path={path}
      value={Object.fromEntries(shown.map((row) => [row.key, row.value]))}
      error={unfit}
      completions={completions}
      onChange={change}
    />
  );
}

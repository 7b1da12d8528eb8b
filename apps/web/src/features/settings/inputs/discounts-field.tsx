/** The discounts of top-ups as rows of group, amount and percentage. */
import { ActionIcon, Autocomplete, Button, NumberInput, Text, Tooltip } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { groupSymbolsQuery } from "#lib/queries/groups.ts";
import { type Discount, isDuplicate, readDiscounts, writeDiscounts } from "./discounts.ts";
import { useRows } from "./use-rows.ts";
import classes from "#features/settings/settings.module.css";

type DiscountsFieldProps = {
  label: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

type DiscountRow = Discount & { id: number };

let lastId = 0;
const rowsOf = (text: string): DiscountRow[] =>
  (readDiscounts(text) ?? []).map((row) => ({ ...row, id: ++lastId }));

export function DiscountsField({ label, value, error, onChange }: DiscountsFieldProps) {
  const { t } = useTranslation("settings");
  const groups = useQuery({ ...groupSymbolsQuery, meta: { quiet: true } }).data ?? [];
  const [rows, change] = useRows(value, { read: rowsOf, write: writeDiscounts, onChange });

  return (
    <fieldset className={classes.links}>
      <legend>{label}</legend>
      <Text c="dimmed" fz="xs" mb="xs">
        {t(
          "A discount applies to top-ups of exactly this amount. A group's discount replaces the one for everyone.",
        )}
      </Text>
      {rows.map((row, place) => (
        <DiscountRow
          key={row.id}
          row={row}
          number={place + 1}
          groups={groups}
          repeated={isDuplicate(rows, place)}
          onChange={(patch) => change(rows.map((one) => (one.id === row.id ? { ...one, ...patch } : one)))}
          onRemove={() => change(rows.filter((one) => one.id !== row.id))}
        />
      ))}
      {error ? (
        <Text c="red" fz="xs" role="alert" mb="xs">
          {error}
        </Text>
      ) : null}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} />}
        onClick={() => change([...rows, { id: ++lastId, group: "", amount: undefined, off: undefined }])}
      >
        {t("Add discount")}
      </Button>
    </fieldset>
  );
}

type DiscountRowProps = {
  row: DiscountRow;
  number: number;
  groups: string[];
  repeated: boolean;
  onChange: (patch: Partial<Discount>) => void;
  onRemove: () => void;
};

const numberOf = (typed: number | string) => (typeof typed === "number" ? typed : undefined);

function DiscountRow({ row, number, groups, repeated, onChange, onRemove }: DiscountRowProps) {
  const { t } = useTranslation("settings");
  const remove = t("Remove discount {{number}}", { number });
  const { amount, off } = row;
  return (
    <div className={classes.discount}>
      <NumberInput
        aria-label={t("Amount of discount {{number}}", { number })}
        placeholder={t("Amount")}
        prefix="$"
        min={1}
        max={1_000_000}
        clampBehavior="strict"
        allowDecimal={false}
        allowNegative={false}
        value={amount ?? ""}
        error={repeated ? t("This amount is listed above") : undefined}
        onChange={(typed) => onChange({ amount: numberOf(typed) })}
      />
      <NumberInput
        aria-label={t("Percentage of discount {{number}}", { number })}
        placeholder={t("Discount")}
        suffix="%"
        min={0}
        max={99.99}
        clampBehavior="strict"
        decimalScale={2}
        allowNegative={false}
        value={off ?? ""}
        onChange={(typed) => onChange({ off: numberOf(typed) })}
      />
      <Autocomplete
        aria-label={t("Group of discount {{number}}", { number })}
        placeholder={t("Everyone")}
        data={groups}
        maxLength={50}
        value={row.group}
        onChange={(group) => onChange({ group: group.trim() })}
      />
      <Text fz="xs" c="dimmed">
        {amount === undefined || off === undefined
          ? ""
          : t("pays ${{price}}", { price: ((amount * (100 - off)) / 100).toFixed(2) })}
      </Text>
      <Tooltip label={remove}>
        <ActionIcon aria-label={remove} onClick={onRemove}>
          <IconTrash size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

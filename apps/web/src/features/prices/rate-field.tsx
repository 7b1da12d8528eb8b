/** A ratio, entered as a ratio, in dollars or in yuan. The other two are shown below while typing. */
import { formatRate } from "@gateway/shared/billing/money";
import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { fromRatio, type RateUnit, toRatio } from "./rate-units.ts";

type RateFieldProps = {
  label: string;
  /** The ratio; NaN for invalid input. */
  value: number;
  onChange: (ratio: number) => void;
  unit: RateUnit;
  error?: ReactNode;
  path: string;
  onBlur?: () => void;
  compact?: boolean;
};

const signs = { rate: "×", usd: "$", rmb: "￥" } as const;

export function RateField({ label, value, onChange, unit, error, path, onBlur, compact }: RateFieldProps) {
  const { t } = useTranslation("prices");
  const [draft, setDraft] = useState<{ text: string; unit: RateUnit; ratio: number } | null>(null);
  // Keeps the typed text ("0.10") while it represents the form's value.
  const current = draft !== null && draft.unit === unit && Object.is(draft.ratio, value);
  const text = current ? draft.text : Number.isNaN(value) ? "" : String(fromRatio(value, unit));
  return (
    <TextInput
      label={label}
      data-path={path}
      inputMode="decimal"
      autoComplete="off"
      leftSection={signs[unit.currency]}
      leftSectionWidth={30}
      className="tabular"
      value={text}
      error={error}
      onBlur={onBlur}
      description={compact ? undefined : otherUnits(value, unit, t)}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        const amount = typed.trim() === "" ? Number.NaN : Number(typed);
        const ratio = toRatio(amount, unit);
        setDraft({ text: typed, unit, ratio });
        onChange(ratio);
      }}
    />
  );
}

function otherUnits(ratio: number, unit: RateUnit, t: (key: string) => string): string {
  if (!Number.isFinite(ratio) || ratio < 0) return " ";
  const per = unit.perCall ? t("per call") : unit.scale === "M" ? t("per 1M tokens") : t("per 1K tokens");
  const money = (["usd", "rmb"] as const)
    .filter((currency) => currency !== unit.currency)
    .map((currency) => `${signs[currency]}${formatRate(fromRatio(ratio, { ...unit, currency }))}`);
  const rate = unit.currency === "rate" ? [] : [`×${ratio}`];
  return `${[...rate, ...money].join(" · ")} ${per}`;
}

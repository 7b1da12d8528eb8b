/** An amount of points, typed in dollars. */
import { pointsOf } from "@gateway/shared/billing/money";
import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";
import { useFormat } from "#lib/format/quota.ts";

type PointsInputProps = Omit<NumberInputProps, "value" | "onChange"> & {
  /** Points. With a placeholder, 0 is an empty field. */
  value: number;
  onChange: (points: number) => void;
};

export function PointsInput({ value, onChange, ...props }: PointsInputProps) {
  const { pointsPerUsd } = useFormat();
  // Keeps the typed text: rounding to points must not change the digits under the cursor.
  const [dollars, setDollars] = useState<number | string>(() =>
    value === 0 && props.placeholder !== undefined ? "" : value / pointsPerUsd,
  );
  return (
    <NumberInput
      prefix="$"
      min={0}
      max={10_000_000}
      allowNegative={false}
      decimalScale={6}
      thousandSeparator=","
      {...props}
      value={dollars}
      onChange={(next) => {
        setDollars(next);
        onChange(pointsOf(Number(next) || 0, pointsPerUsd));
      }}
    />
  );
}

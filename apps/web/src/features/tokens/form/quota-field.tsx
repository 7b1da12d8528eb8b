import { pointsOf } from "@gateway/shared/billing/money";
import { Group, Input, NumberInput, SegmentedControl, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/format/quota.ts";
import type { TokenSchemaForm } from "./form-schema.ts";

/** Default limit in dollars; a limit of zero would make the token unusable. */
const firstOffer = 5;

/** A limit in dollars with its points beside it, or no limit. */
export function TokenQuotaField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const { unlimited_quota: unlimited = true, remain_quota: points = 0 } = form.values;
  // Keeps the typed text: rounding to points must not change the digits under the cursor.
  const [dollars, setDollars] = useState<number | string>(points / format.pointsPerUsd);
  const enter = (value: number | string) => {
    setDollars(value);
    form.setFieldValue("remain_quota", pointsOf(Number(value) || 0, format.pointsPerUsd));
  };
  return (
    <Input.Wrapper label={t("Quota")} error={form.errors["remain_quota"]} labelElement="div">
      <Group gap="sm" mt={4} align="center">
        <SegmentedControl
          size="sm"
          aria-label={t("Quota")}
          data={[
            { value: "unlimited", label: t("No limit") },
            { value: "limited", label: t("Limited") },
          ]}
          value={unlimited ? "unlimited" : "limited"}
          onChange={(value) => {
            form.setFieldValue("unlimited_quota", value === "unlimited");
            if (value === "limited" && points === 0) enter(firstOffer);
          }}
        />
        {unlimited ? null : (
          <>
            <NumberInput
              aria-label={t("Remaining (USD)")}
              prefix="$"
              w={150}
              min={0}
              max={10_000_000}
              decimalScale={6}
              thousandSeparator=","
              value={dollars}
              error={Boolean(form.errors["remain_quota"])}
              onChange={enter}
            />
            <Text fz="sm" c="dimmed" className="tabular">
              {t("= {{points}} points", { count: points, points: format.whole(points) })}
            </Text>
          </>
        )}
      </Group>
    </Input.Wrapper>
  );
}

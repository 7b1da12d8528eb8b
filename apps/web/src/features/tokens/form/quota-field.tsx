import { Group, Input, SegmentedControl, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { PointsInput } from "#components/points-input.tsx";
import { useFormat } from "#lib/format/quota.ts";
import type { TokenSchemaForm } from "./form-schema.ts";

/** Default limit in dollars; a limit of zero would make the token unusable. */
const firstOffer = 5;

/** A limit in dollars with its points beside it, or no limit. */
export function TokenQuotaField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const format = useFormat();
  const { unlimited_quota: unlimited = true, remain_quota: points = 0 } = form.values;
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
            if (value === "limited" && points === 0)
              form.setFieldValue("remain_quota", firstOffer * format.pointsPerUsd);
          }}
        />
        {unlimited ? null : (
          <>
            <PointsInput
              aria-label={t("Remaining (USD)")}
              w={150}
              value={points}
              error={Boolean(form.errors["remain_quota"])}
              onChange={(next) => form.setFieldValue("remain_quota", next)}
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

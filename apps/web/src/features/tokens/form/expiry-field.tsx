import { NEVER_EXPIRES } from "@gateway/shared/accounts/token-status";
import { Button, Group, Input, SegmentedControl } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { TimeField } from "#ui/form/time-field.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { TokenSchemaForm } from "./form-schema.ts";

const daySeconds = 24 * 3600;
const presets = [7, 30, 90, 365];

function inDays(days: number): number {
  return Math.floor(Date.now() / 1000) + days * daySeconds;
}

/** Never, or a date and time. */
export function ExpiryField({ form }: { form: TokenSchemaForm }) {
  const { t } = useTranslation("tokens");
  const phone = useIsPhone();
  const value = form.values.expired_time ?? NEVER_EXPIRES;
  const error = form.errors["expired_time"];
  const onChange = (time: number) => form.setFieldValue("expired_time", time);
  const never = value === NEVER_EXPIRES;
  return (
    <Input.Wrapper label={t("Expires")} error={error} labelElement="div">
      <Group gap="sm" mt={4}>
        <SegmentedControl
          size="sm"
          aria-label={t("Expires")}
          data={[
            { value: "never", label: t("Never") },
            { value: "date", label: t("On a date") },
          ]}
          value={never ? "never" : "date"}
          onChange={(choice) => onChange(choice === "never" ? NEVER_EXPIRES : inDays(7))}
        />
        {never ? null : (
          <TimeField
            aria-label={t("Expiry time")}
            w={phone ? "100%" : 192}
            value={value}
            error={Boolean(error)}
            onChange={(time) => time > 0 && onChange(time)}
          />
        )}
        <Group gap={4}>
          {presets.map((days) => (
            <Button
              key={days}
              variant="default"
              size="compact-sm"
              fw={400}
              onClick={() => onChange(inDays(days))}
            >
              {t("{{count}} days", { count: days })}
            </Button>
          ))}
        </Group>
      </Group>
    </Input.Wrapper>
  );
}

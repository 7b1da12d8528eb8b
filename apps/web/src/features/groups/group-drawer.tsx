/** Creates or edits a user group. */
import { formatCost } from "@gateway/shared/billing/money";
import { TOKEN_BUCKET_FROM, type UserGroupDetail, UserGroupInput } from "@gateway/shared/channels/group";
import { Button, Group, NumberInput, SimpleGrid, Switch, Text, TextInput } from "@mantine/core";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveGroup } from "./api.ts";
import { priceSteps, changeRatio } from "./price-steps.ts";

type GroupDrawerProps = {
  /** Undefined for a new group. */
  group: UserGroupDetail | undefined;
  onClose: () => void;
};

const defaultRate = 300;

export function GroupDrawer({ group, onClose }: GroupDrawerProps) {
  const { t } = useTranslation("groups");
  const save = useSaveGroup();
  const form = useSchemaForm(UserGroupInput, valuesOf(group), (values) => windowError(t, values));
  const { api_rate, ratio, promotion } = form.values;
  return (
    <FormDrawer
      opened
      help="users#groups"
      title={group ? t("Group {{name}}", { name: group.name }) : t("New group")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        await save.mutateAsync({ id: group?.id, input: UserGroupInput.parse(values) });
        toast.success(t("Group saved"));
        onClose();
      }}
      onClose={onClose}
      width={520}
    >
      <FormSection title={t("General")}>
        <TextInput
          label={t("Identifier")}
          description={t(
            "Users, tokens and channels refer to the group by this identifier. It cannot be changed later.",
          )}
          withAsterisk
          maxLength={50}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          disabled={group !== undefined}
          {...form.getInputProps("symbol")}
        />
        <TextInput label={t("Name")} withAsterisk maxLength={50} {...form.getInputProps("name")} />
        <Switch
          label={t("Public")}
          description={t("All users can choose this group for their tokens. When off, only its members can.")}
          {...form.getInputProps("public", { type: "checkbox" })}
        />
        <Switch
          label={t("Help the prompt cache")}
          description={t(
            "Calls of this group get marks for the prompt caches of providers, on channels that allow it.",
          )}
          {...form.getInputProps("cache_marks", { type: "checkbox" })}
        />
        <Switch
          label={t("Quotes")}
          description={t("API keys of this group can request a price that a call will not exceed.")}
          {...form.getInputProps("quotes", { type: "checkbox" })}
        />
      </FormSection>
      <FormSection title={t("Price and rate limit")}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label={t("Ratio")}
            description={ratioHint(ratio, t)}
            withAsterisk
            min={0}
            step={0.1}
            decimalScale={6}
            {...form.getInputProps("ratio")}
          />
          <NumberInput
            label={t("Requests per minute")}
            description={
              api_rate < TOKEN_BUCKET_FROM
                ? t("Below 60, calls are counted per minute.")
                : t("From 60 on, a token bucket smooths bursts. Several nodes need Redis for an exact limit.")
            }
            withAsterisk
            min={1}
            allowDecimal={false}
            thousandSeparator=","
            {...form.getInputProps("api_rate")}
          />
        </SimpleGrid>
        {group !== undefined && ratio > 0 ? (
          <PriceSteps onStep={(percent) => form.setFieldValue("ratio", changeRatio(ratio, percent))} />
        ) : null}
      </FormSection>
      <FormSection
        title={t("Promotion")}
        hint={t("Accounts move to this group automatically when their total top-ups reach an amount.")}
      >
        <Switch
          label={t("Promote accounts to this group")}
          {...form.getInputProps("promotion", { type: "checkbox" })}
        />
        {promotion ? (
          <SimpleGrid cols={2}>
            <NumberInput
              label={t("From")}
              leftSection="$"
              description={t("Total top-ups in dollars")}
              min={0}
              allowDecimal={false}
              {...form.getInputProps("min")}
            />
            <NumberInput
              label={t("Below")}
              leftSection="$"
              description={t("0 = no upper limit")}
              min={0}
              allowDecimal={false}
              {...form.getInputProps("max")}
            />
          </SimpleGrid>
        ) : null}
        <Text c="dimmed" fz="xs">
          {t("Payments and redemption codes count, gifts do not. Users are never moved down.")}
        </Text>
      </FormSection>
    </FormDrawer>
  );
}

function valuesOf(group: UserGroupDetail | undefined) {
  return {
    symbol: group?.symbol ?? "",
    name: group?.name ?? "",
    ratio: group?.ratio ?? 1,
    api_rate: group?.api_rate ?? defaultRate,
    public: group?.public ?? false,
    promotion: group?.promotion ?? false,
    min: group?.min ?? 0,
    max: group?.max ?? 0,
    cache_marks: group?.cache_marks ?? true,
    quotes: group?.quotes ?? true,
  };
}

function windowError(
  t: TFunction<"groups">,
  { promotion, min, max }: z.input<typeof UserGroupInput>,
): Record<string, string> {
  if (!promotion || max === 0 || max > min) return {};
  return { max: t("Enter an amount above the lower limit, or 0") };
}

function ratioHint(ratio: number, t: TFunction<"groups">): string {
  if (ratio === 0) return t("Calls are free for this group.");
  return t("A call that costs $1 at ratio 1 costs {{amount}} in this group.", {
    amount: formatCost(ratio || 1),
  });
}

function PriceSteps({ onStep }: { onStep: (percent: number) => void }) {
  const { t } = useTranslation("groups");
  return (
    <Group gap={6} role="group" aria-label={t("Change the prices of this group")}>
      <Text fz="xs" c="dimmed" w={{ base: "100%", sm: "auto" }}>
        {t("Change the prices of this group")}
      </Text>
      {priceSteps.map((percent) => (
        <Button key={percent} variant="default" size="compact-sm" onClick={() => onStep(percent)}>
          {percent > 0 ? `+${percent}%` : `−${-percent}%`}
        </Button>
      ))}
    </Group>
  );
}

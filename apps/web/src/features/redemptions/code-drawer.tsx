/** Creates redemption codes, or edits an unredeemed one. Values are entered in dollars. */
import { RedemptionInput, type RedemptionRow } from "@gateway/shared/billing/redemption";
import { because } from "@gateway/shared/errors/issue";
import { NumberInput, SimpleGrid, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { z } from "zod";
import { useFormat } from "#lib/format/quota.ts";
import { phrasesIn } from "#lib/i18n.ts";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { useSchemaForm } from "#ui/form/form.ts";
import { fieldText } from "#ui/form/time-field.tsx";
import { toast } from "#ui/toast.tsx";
import { useChangeCode, useCreateCodes } from "./api.ts";

const phrase = phrasesIn("redemptions");

const CodeForm = z.object({
  name: RedemptionInput.shape.name,
  /** In dollars; the server's points are integers. */
  amount: z
    .number(phrase("Enter a number of at least 0"))
    .min(0, because("quota_negative"))
    .max(1_000_000, because("dollars_too_many")),
  /** Local time in the format of a date input; "" = never. */
  expires: z.string(),
  count: RedemptionInput.shape.count,
});

type CodeDrawerProps = {
  /** Undefined for new codes. */
  code: RedemptionRow | undefined;
  onClose: () => void;
  onCreated: (codes: string[], name: string) => void;
};

export function CodeDrawer({ code, onClose, onCreated }: CodeDrawerProps) {
  const { t } = useTranslation("redemptions");
  const format = useFormat();
  const create = useCreateCodes();
  const change = useChangeCode();
  const form = useSchemaForm(CodeForm, {
    name: code?.name ?? "",
    amount: code ? code.quota / format.pointsPerUsd : 1,
    expires: code?.expires_at ? fieldText(code.expires_at) : "",
    count: 1,
  });
  const points = Math.round((form.values.amount || 0) * format.pointsPerUsd);

  const save = async (values: z.input<typeof CodeForm>) => {
    const { name, amount, expires, count } = CodeForm.parse(values);
    const input = {
      name,
      quota: Math.round(amount * format.pointsPerUsd),
      expires_at: expires === "" ? null : Math.floor(new Date(expires).getTime() / 1000),
    };
    if (code) {
      await change.mutateAsync({ id: code.id, change: input });
      toast.success(t("Code saved"));
    } else onCreated(await create.mutateAsync({ ...input, count }), name);
    onClose();
  };

  return (
    <FormDrawer
      opened
      help="payments#redemption-codes"
      title={code ? t("Edit “{{name}}”", { name: code.name }) : t("New redemption codes")}
      form={form}
      submitLabel={code ? t("Save") : t("Create")}
      onSubmit={save}
      onClose={onClose}
      width={480}
    >
      <FormSection
        title={t("General")}
        hint={t("The value of a code is credited to the first user who redeems it.")}
      >
        <TextInput
          label={t("Name")}
          description={t("The purpose of the codes. Shown in the log of the user who redeems one.")}
          withAsterisk
          data-autofocus
          maxLength={64}
          {...form.getInputProps("name")}
        />
        <SimpleGrid cols={{ base: 1, sm: code ? 1 : 2 }}>
          <NumberInput
            label={t("Value of each code")}
            description={t("{{points}} points", { count: points, points: format.whole(points) })}
            withAsterisk
            leftSection="$"
            min={0}
            decimalScale={6}
            {...form.getInputProps("amount")}
          />
          {code ? null : (
            <NumberInput
              label={t("Number of codes")}
              description={t("1 to 100")}
              withAsterisk
              min={1}
              max={100}
              clampBehavior="none"
              allowDecimal={false}
              {...form.getInputProps("count")}
            />
          )}
        </SimpleGrid>
        <TextInput
          type="datetime-local"
          label={t("Expires at")}
          description={t("Leave it empty for no expiry.")}
          {...form.getInputProps("expires")}
        />
      </FormSection>
    </FormDrawer>
  );
}

/** Adds or edits a payment gateway. Its fields depend on its type. */
import { PaymentForm, paymentIcons, type PaymentRow } from "@gateway/shared/billing/payment";
import {
  paymentConfigs,
  paymentCurrencies,
  paymentSecrets,
  PaymentType,
} from "@gateway/shared/billing/payment-config";
import { issueOf } from "@gateway/shared/errors/issue";
import type { WireParams } from "@gateway/shared/errors/phrase";
import { Group, NumberInput, Select, SimpleGrid, Switch, TextInput } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { z } from "zod";
import { PaymentIcon } from "#components/icons/payment-icon.tsx";
import { CopyButton } from "#ui/copy.tsx";
import { FormDrawer, FormSection } from "#ui/form/form-drawer.tsx";
import { type SchemaForm, useSchemaForm } from "#ui/form/form.ts";
import { toast } from "#ui/toast.tsx";
import { useSaveGateway } from "./api.ts";
import { ConfigInput } from "./config-input.tsx";
import { configFields, iconTitles, typeTitles } from "./gateway-labels.ts";

const otherIcon = "other";
const isOurs = (icon: string) => (paymentIcons as readonly string[]).includes(icon);

type GatewayDrawerProps = {
  /** Undefined for a new gateway. */
  gateway: PaymentRow | undefined;
  onClose: () => void;
  /** Called with a new gateway that still needs configuration at the provider. */
  onUnfinished: (gateway: PaymentRow) => void;
};

export function GatewayDrawer({ gateway, onClose, onUnfinished }: GatewayDrawerProps) {
  const { t } = useTranslation("payments");
  const save = useSaveGateway();
  const form = useSchemaForm(PaymentForm, initialValues(gateway), (values) => problemsOf(values, gateway));
  const { type } = form.values;

  return (
    <FormDrawer
      opened
      help="payments"
      title={gateway ? t("Gateway {{name}}", { name: gateway.name }) : t("New payment gateway")}
      form={form}
      submitLabel={t("Save")}
      onSubmit={async (values) => {
        const saved = await save.mutateAsync({ id: gateway?.id, input: values });
        toast.success(t("Payment gateway saved"));
        onClose();
        const isComplete = paymentSecrets[saved.type].every((name) => saved.secrets_set.includes(name));
        if (!gateway && !isComplete) onUnfinished(saved);
      }}
      onClose={onClose}
      width={560}
    >
      <GeneralSection form={form} gateway={gateway} />

      <FormSection title={t("Account")} hint={t("Keys are stored encrypted and never shown again.")}>
        {Object.entries(configFields[type]).map(([name, field]) => (
          <ConfigInput
            key={`${type}.${name}`}
            field={field}
            required={!isOptional(type, name)}
            secretSet={gateway?.secrets_set.includes(name) ?? false}
            {...form.getInputProps(`config.${name}`)}
          />
        ))}
      </FormSection>

      <FeesSection form={form} />
      <NotificationsSection form={form} gateway={gateway} />

      <FormSection title={t("Availability")}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NumberInput
            label={t("Position")}
            description={t("Payment gateways with a higher position are shown first.")}
            min={0}
            allowDecimal={false}
            {...form.getInputProps("sort")}
          />
        </SimpleGrid>
        <Switch
          label={t("Enabled")}
          description={t("When off, new payments are not possible. Pending payments are still credited.")}
          {...form.getInputProps("enable", { type: "checkbox" })}
        />
      </FormSection>
    </FormDrawer>
  );
}

type GatewayForm = SchemaForm<z.input<typeof PaymentForm>>;
type GatewaySectionProps = { form: GatewayForm; gateway: PaymentRow | undefined };

function GeneralSection({ form, gateway }: GatewaySectionProps) {
  const { t } = useTranslation("payments");
  const [ownIcon, setOwnIcon] = useState(gateway !== undefined && !isOurs(gateway.icon));
  const { type, icon } = form.values;

  const chooseType = (next: PaymentType) => {
    form.setValues({
      type: next,
      config: emptyConfig(next),
      icon: ownIcon ? icon : defaultIcon(next),
      currency: paymentCurrencies[next][0] ?? "CNY",
    });
    form.clearErrors();
  };

  return (
    <FormSection title={t("General")} hint={t("How users see this payment gateway when they top up.")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t("Type")}
          withAsterisk
          allowDeselect={false}
          disabled={gateway !== undefined}
          data={PaymentType.options.map((value) => ({ value, label: t(typeTitles[value]) }))}
          value={type}
          onChange={(next) => next && chooseType(PaymentType.parse(next))}
          error={form.errors["type"]}
        />
        <TextInput label={t("Name")} withAsterisk maxLength={100} {...form.getInputProps("name")} />
        <Select
          label={t("Icon")}
          withAsterisk
          allowDeselect={false}
          leftSection={<PaymentIcon icon={isOurs(icon) ? icon : "card"} size={18} />}
          data={[
            ...paymentIcons.map((value) => ({ value, label: t(iconTitles[value]) })),
            { value: otherIcon, label: t("Image from a URL") },
          ]}
          value={ownIcon ? otherIcon : icon}
          renderOption={({ option }) => (
            <Group gap="xs" wrap="nowrap">
              {isOurs(option.value) ? <PaymentIcon icon={option.value} size={18} /> : null}
              {option.label}
            </Group>
          )}
          onChange={(next) => {
            setOwnIcon(next === otherIcon);
            form.setFieldValue("icon", next === otherIcon ? "" : (next ?? ""));
          }}
          error={ownIcon ? undefined : form.errors["icon"]}
        />
        <Select
          label={t("Currency")}
          withAsterisk
          allowDeselect={false}
          data={paymentCurrencies[type].map((value) => ({ value, label: value }))}
          {...form.getInputProps("currency")}
        />
      </SimpleGrid>
      {ownIcon ? (
        <TextInput
          label={t("Image URL")}
          withAsterisk
          maxLength={300}
          placeholder="https://"
          {...form.getInputProps("icon")}
        />
      ) : null}
    </FormSection>
  );
}

function FeesSection({ form }: { form: GatewayForm }) {
  const { t } = useTranslation("payments");
  const share = form.values.percent_fee ?? 0;
  return (
    <FormSection title={t("Fees")} hint={t("Customers pay both fees in addition to the top-up amount.")}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NumberInput
          label={t("Percentage fee")}
          description={`${share} = ${Number((share * 100).toFixed(2))}%`}
          min={0}
          max={1}
          step={0.01}
          decimalScale={4}
          {...form.getInputProps("percent_fee")}
        />
        <NumberInput
          label={t("Fixed fee per order")}
          min={0}
          decimalScale={2}
          leftSection="$"
          {...form.getInputProps("fixed_fee")}
        />
      </SimpleGrid>
    </FormSection>
  );
}

function NotificationsSection({ form, gateway }: GatewaySectionProps) {
  const { t } = useTranslation("payments");
  return (
    <FormSection
      title={t("Payment notifications")}
      hint={t("The payment gateway must be able to reach this site over the internet.")}
    >
      <TextInput
        label={t("Another address of this site")}
        description={t("Leave it empty to use the server address from the settings.")}
        placeholder="https://"
        maxLength={300}
        {...form.getInputProps("notify_domain")}
      />
      {gateway && gateway.notify_url !== "" ? (
        <TextInput
          label={t("Notification URL")}
          description={
            form.values.type === "stripe"
              ? t("At Stripe, create a webhook with this URL for the event checkout.session.completed.")
              : t(
                  "Sent with every order. If the payment gateway asks for a notification URL, enter this one.",
                )
          }
          readOnly
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          value={gateway.notify_url}
          onFocus={(event) => event.currentTarget.select()}
          rightSection={<CopyButton text={gateway.notify_url} label={t("Notification URL")} />}
        />
      ) : null}
    </FormSection>
  );
}

function initialValues(gateway: PaymentRow | undefined): PaymentForm {
  const type = gateway?.type ?? "epay";
  return {
    type,
    name: gateway?.name ?? "",
    icon: gateway?.icon ?? defaultIcon(type),
    notify_domain: gateway?.notify_domain ?? "",
    currency: gateway?.currency ?? paymentCurrencies[type][0] ?? "CNY",
    fixed_fee: gateway?.fixed_fee ?? 0,
    percent_fee: gateway?.percent_fee ?? 0,
    sort: gateway?.sort ?? 1,
    enable: gateway?.enable ?? true,
    config: { ...emptyConfig(type), ...gateway?.config },
  };
}

function defaultIcon(type: PaymentType): string {
  return isOurs(type) ? type : "card";
}

function emptyConfig(type: PaymentType): Record<string, string> {
  return Object.fromEntries(
    Object.entries(configFields[type]).map(([name, { choices }]) => [name, choices?.[0]?.value ?? ""]),
  );
}

function isOptional(type: PaymentType, name: string): boolean {
  const shape: Record<string, { safeParse(value: unknown): { success: boolean } }> =
    paymentConfigs[type].shape;
  return shape[name]?.safeParse("").success ?? true;
}

/**
 * Returns errors of the type's own settings, which the form's
 * schema does not check. A stored secret may stay empty.
 */
function problemsOf(values: PaymentForm, gateway: PaymentRow | undefined): Record<string, WireParams> {
  const parsed = paymentConfigs[values.type].safeParse(values.config);
  const stored: readonly string[] = gateway?.secrets_set ?? [];
  const secrets: readonly string[] = paymentSecrets[values.type];
  const problems: Record<string, WireParams> = {};
  for (const issue of parsed.error?.issues ?? []) {
    const name = String(issue.path[0]);
    if (secrets.includes(name) && stored.includes(name) && values.config[name] === "") continue;
    problems[`config.${name}`] ??= { ...issueOf(issue, values.config) };
  }
  return problems;
}

/** Top-up by payment: amount, method and exact price. */
import type { OpenedOrder, TopUpTerms } from "@gateway/shared/billing/order";
import { formatCents, type OrderPrice, priceOrder } from "@gateway/shared/billing/order-price";
import type { PaymentChoice } from "@gateway/shared/billing/payment";
import { Alert, Button, NumberInput, Skeleton, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AddressMissing } from "#components/address-missing.tsx";
import { PaymentIcon } from "#components/icons/payment-icon.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { formatMoney } from "#lib/format/money.ts";
import { useFormat } from "#lib/format/quota.ts";
import { LoadError } from "#ui/empty.tsx";
import { Section } from "#ui/page/page.tsx";
import { choicesQuery, termsQuery, useOpenOrder } from "./api.ts";
import { PriceLines } from "./price-lines.tsx";
import classes from "./top-up.module.css";

const usual = [5, 10, 20, 50, 100, 500];
const MOST_PRESETS = 8;

type PayCardProps = { onOpened: (order: OpenedOrder) => void };

/** Renders nothing when the operator accepts no payments. */
export function PayCard({ onOpened }: PayCardProps) {
  const { t } = useTranslation("top-up");
  const choices = useQuery(choicesQuery);
  const terms = useQuery(termsQuery);
  const error = choices.error ?? terms.error;
  if (choices.data?.length === 0) return null;
  return (
    <Section title={t("Pay online")} hint={t("Your balance is credited as soon as the payment arrives.")}>
      {choices.data && terms.data ? (
        terms.data.available ? (
          <PayForm choices={choices.data} terms={terms.data} onOpened={onOpened} />
        ) : (
          <AddressMissing />
        )
      ) : error ? (
        <LoadError error={error} onRetry={() => void Promise.all([choices.refetch(), terms.refetch()])} />
      ) : (
        <Stack gap="md" aria-busy>
          <Skeleton height={64} radius="md" />
          <Skeleton height={48} radius="md" />
          <Skeleton height={120} radius="md" />
        </Stack>
      )}
    </Section>
  );
}

type PayFormProps = PayCardProps & { choices: PaymentChoice[]; terms: TopUpTerms };

function PayForm({ choices, terms, onOpened }: PayFormProps) {
  const { t } = useTranslation("top-up");
  const format = useFormat();
  const open = useOpenOrder();
  const presets = presetsOf(terms);
  const [amount, setAmount] = useState<number | "">(presets[0] ?? terms.min_amount);
  const [uuid, setUuid] = useState("");
  const choice = choices.find((one) => one.uuid === uuid) ?? choices[0];
  const fault = amount === "" ? "" : faultOf(amount, terms, t);
  const ratio = discountOf(terms, amount);
  const price =
    choice && amount !== "" && fault === ""
      ? priceOrder({
          amount,
          discount: ratio,
          fixed_fee: choice.fixed_fee,
          percent_fee: choice.percent_fee,
          currency: choice.currency,
          usd_rate: terms.usd_rate,
        })
      : undefined;

  const pay = async () => {
    if (!choice || !price || amount === "") return;
    const input = { uuid: choice.uuid, amount, order_amount: formatCents(price.total) };
    onOpened(await open.mutateAsync(input));
  };

  return (
    <form
      className={classes.pay}
      onSubmit={(event) => {
        event.preventDefault();
        void pay().catch(() => {
          // Shown below the button.
        });
      }}
    >
      <Stack gap="lg" miw={0}>
        <div role="group" aria-label={t("Top-up amount")}>
          <Text fw={500} fz="sm" mb={6}>
            {t("Top-up amount")}
          </Text>
          <div className={classes.presets}>
            {presets.map((preset) => (
              <UnstyledButton
                key={preset}
                className={classes.preset}
                aria-pressed={amount === preset}
                onClick={() => setAmount(preset)}
              >
                {dollars(preset)}
                {discountOf(terms, preset) < 1 ? (
                  <span className={classes.off}>−{format.percent(1 - discountOf(terms, preset))}</span>
                ) : null}
              </UnstyledButton>
            ))}
            <NumberInput
              className={classes.own}
              aria-label={t("Other amount in dollars")}
              placeholder={t("Other amount")}
              leftSection="$"
              size="md"
              allowDecimal={false}
              allowNegative={false}
              thousandSeparator=","
              value={amount}
              error={fault !== ""}
              onChange={(next) => setAmount(typeof next === "number" ? next : "")}
            />
          </div>
          {fault === "" ? null : (
            <Text c="red" fz="xs" mt={6} role="alert">
              {fault}
            </Text>
          )}
        </div>
        <div role="radiogroup" aria-label={t("Payment method")}>
          <Text fw={500} fz="sm" mb={6}>
            {t("Payment method")}
          </Text>
          <div className={classes.methods}>
            {choices.map((one) => (
              <UnstyledButton
                key={one.uuid}
                className={classes.method}
                role="radio"
                aria-checked={one.uuid === choice?.uuid}
                onClick={() => setUuid(one.uuid)}
              >
                <PaymentIcon icon={one.icon} size={22} />
                <Text span fz="sm" fw={500} lh={1.3} lineClamp={2} title={one.name}>
                  {one.name}
                </Text>
              </UnstyledButton>
            ))}
          </div>
        </div>
      </Stack>
      <Stack gap="sm" className={classes.sum}>
        {choice ? <PriceLines price={price} currency={choice.currency} rate={terms.usd_rate} /> : null}
        {amount !== "" && fault === "" ? (
          <Text c="dimmed" fz="xs">
            {t("{{amount}} will be added to your balance.", {
              amount: format.quota(Math.round(amount * terms.points_per_usd)),
            })}
          </Text>
        ) : null}
        <Button type="submit" size="md" loading={open.isPending} disabled={!price}>
          {payLabel(price, choice, t)}
        </Button>
        {open.error ? (
          <Alert color="red" icon={<IconAlertCircle size={18} />} p="sm" role="alert">
            {errorReason(open.error, t)}
          </Alert>
        ) : null}
      </Stack>
    </form>
  );
}

function payLabel(
  price: OrderPrice | undefined,
  choice: PaymentChoice | undefined,
  t: TFunction<"top-up">,
): string {
  if (!price || !choice) return t("Pay");
  return t("Pay {{amount}}", { amount: formatMoney(formatCents(price.total), choice.currency) });
}

/** Returns the preset amounts. Amounts with a discount are always included. */
function presetsOf({ discounts, min_amount, max_amount }: TopUpTerms): number[] {
  const discountedAmounts = discounts.map(({ amount }) => amount);
  const fits = (amount: number) => amount >= min_amount && amount <= max_amount;
  const free = Math.max(0, MOST_PRESETS - discountedAmounts.length);
  const others = usual.filter((amount) => fits(amount) && !discountedAmounts.includes(amount)).slice(0, free);
  return [...discountedAmounts.filter(fits), ...others].sort((left, right) => left - right);
}

function discountOf({ discounts }: TopUpTerms, amount: number | ""): number {
  return discounts.find((one) => one.amount === amount)?.discount ?? 1;
}

function faultOf(amount: number, { min_amount, max_amount }: TopUpTerms, t: TFunction<"top-up">): string {
  if (!Number.isInteger(amount) || amount < 1) return t("Enter a whole number of dollars");
  if (amount < min_amount) return t("At least {{amount}}", { amount: dollars(min_amount) });
  return amount > max_amount ? t("Amount cannot exceed 1000000") : "";
}

function dollars(amount: number): string {
  return `$${amount.toLocaleString("en-US")}`;
}

/** The price of a top-up, line by line. */
import { formatCents, type OrderPrice } from "@gateway/shared/billing/order-price";
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatMoney } from "#lib/format/money.ts";
import classes from "./top-up.module.css";

type PriceLinesProps = {
  /** Undefined while the amount cannot be paid. */
  price: OrderPrice | undefined;
  currency: string;
  /** Units of `currency` per dollar. */
  rate: number;
};

export function PriceLines({ price, currency, rate }: PriceLinesProps) {
  const { t } = useTranslation("top-up");
  const usd = (cents: bigint) => formatMoney(formatCents(cents), "USD");
  const foreign = currency !== "USD";
  return (
    <dl className={classes.price} aria-live="polite">
      <Line label={t("Top-up")}>{price ? usd(price.amount) : "–"}</Line>
      {price && price.discount > 0n ? (
        <Line label={t("Discount")} good>
          −{usd(price.discount)}
        </Line>
      ) : null}
      {price && price.fee > 0n ? <Line label={t("Fee")}>{usd(price.fee)}</Line> : null}
      {price && foreign ? (
        <Line label={t("Exchange rate")}>{`$1 = ${formatMoney(rate, currency)}`}</Line>
      ) : null}
      <div className={classes.total}>
        <Text component="dt" fw={500}>
          {t("To pay")}
        </Text>
        <Text component="dd" m={0} fz={22} fw={600}>
          {price ? formatMoney(formatCents(price.total), currency) : "–"}
        </Text>
      </div>
    </dl>
  );
}

function Line({ label, good = false, children }: { label: string; good?: boolean; children: ReactNode }) {
  return (
    <div className={classes.line}>
      <Text component="dt" c="dimmed" fz="sm">
        {label}
      </Text>
      <Text component="dd" m={0} fz="sm" {...(good ? { c: "green" } : {})}>
        {children}
      </Text>
    </div>
  );
}

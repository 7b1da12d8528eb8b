import type { Bill, LogRow } from "@gateway/shared/usage/log";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useGroupNames } from "#components/group-name.tsx";
import { billKindText } from "#features/logs/log-labels.ts";
import { useFormat } from "#lib/format/quota.ts";
import {
  alignDecimals,
  explainLines,
  isPerCall,
  multiply,
  PRICE_DECIMALS,
  uncollectedLabel,
  worthOf,
} from "./bill.ts";
import classes from "#features/logs/logs.module.css";

/** The calculation of a bill: every line in points, the sum, the rounding, the dollars. */
export function BillArithmetic({ row, bill }: { row: LogRow; bill: Bill }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const lines = explainLines(bill);
  const uncollected = Number(bill.uncollected ?? "0");
  const group = useGroupNames()(row.group);
  const usdPerPoint = worthOf(1, format.pointsPerUsd);
  const usdPerMillion = worthOf(1_000_000, format.pointsPerUsd);
  const discounted = bill.group_ratio !== "1";
  const prices = alignDecimals(
    lines.map(({ kind, ratio }) => multiply(ratio, isPerCall(bill, kind) ? usdPerPoint : usdPerMillion)),
    PRICE_DECIMALS,
  );
  const points = alignDecimals([...lines.map((line) => line.points), bill.exact]).map((number) => {
    const [whole = "0", fraction] = number.split(".");
    return fraction === undefined
      ? format.whole(Number(whole))
      : `${format.whole(Number(whole))}.${fraction}`;
  });
  const price = (kind: string, usd = "") =>
    isPerCall(bill, kind) ? t("${{price}} each", { price: usd }) : t("${{price}} / 1M", { price: usd });
  return (
    <>
      <Text c="dimmed" fz="sm" mb="md">
        {t("1 point is ${{usd}}. The total is rounded up once.", { usd: usdPerPoint })}
      </Text>
      <table className={classes.bill}>
        <thead>
          <tr>
            <th scope="col">{t("Item")}</th>
            <th scope="col">{t("Amount")}</th>
            <th scope="col">{t("Price")}</th>
            <th scope="col">{t("Points")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr key={line.kind}>
              <td>{billKindText(t, line.kind)}</td>
              <td>{format.whole(line.amount)}</td>
              <td>
                {price(line.kind, prices[at])}
                <Text fz="xs" c="dimmed">
                  × {line.ratio}
                  {discounted ? ` × ${bill.group_ratio}` : ""}
                </Text>
              </td>
              <td>{points[at]}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {discounted ? (
            <tr>
              <td colSpan={3}>
                {row.cache_hit
                  ? t("Ratio of the group {{group}} × share for cached responses, applied to every line", {
                      group,
                    })
                  : t("Ratio of the group {{group}}, applied to every line", { group })}
              </td>
              <td>× {bill.group_ratio}</td>
            </tr>
          ) : null}
          {bill.service_tier ? (
            <tr>
              <td colSpan={3}>
                {t("{{tier}}, applied to the price of every token", {
                  tier: billKindText(t, `tier:${bill.service_tier.name}`),
                })}
              </td>
              <td>× {bill.service_tier.ratio}</td>
            </tr>
          ) : null}
          <tr>
            <td colSpan={3}>{t("Exact sum")}</td>
            <td>{points.at(-1)}</td>
          </tr>
          {bill.exact.includes(".") ? (
            <tr>
              <td colSpan={3}>{t("Rounded up")}</td>
              <td>{format.whole(row.quota + uncollected)}</td>
            </tr>
          ) : null}
          {uncollected > 0 ? (
            <tr>
              <td colSpan={3}>{t(uncollectedLabel(bill))}</td>
              <td>− {format.whole(uncollected)}</td>
            </tr>
          ) : null}
          <tr>
            <td colSpan={3}>{t("Charged")}</td>
            <td>{format.usd(row.quota, 6)}</td>
          </tr>
        </tfoot>
      </table>
    </>
  );
}

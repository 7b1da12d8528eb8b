import type { Bill, LogRow } from "@gateway/shared/log";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useFormat } from "#lib/quota.ts";
import { isTool } from "#lib/usage-kinds.ts";
import { explainLines, multiply } from "./bill.ts";
import { billKindText } from "./log-words.ts";
import classes from "./logs.module.css";

/** A ratio of 1 is two dollars per million tokens. */
const usdPerMillionAtRatio1 = "2";
const usdPerPoint = "0.000002";

/** Every line, the sum, the rounding, the dollars: anybody can check it with a pencil. */
export function BillTable({ row, bill }: { row: LogRow; bill: Bill }) {
  const { t } = useTranslation();
  const format = useFormat();
  const lines = explainLines(bill);
  const discounted = bill.group_ratio !== "1";
  const perCall = (kind: string) => bill.price_type === "times" || isTool(kind);
  const price = (kind: string, ratio: string) =>
    perCall(kind)
      ? t("${{price}} each", { price: multiply(ratio, usdPerPoint) })
      : t("${{price}} / 1M", { price: multiply(ratio, usdPerMillionAtRatio1) });
  return (
    <table className={classes.bill}>
      <thead>
        <tr>
          <th scope="col">{t("What")}</th>
          <th scope="col">{t("Amount")}</th>
          <th scope="col">{t("Price")}</th>
          <th scope="col">{t("Points")}</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.kind}>
            <td>{billKindText(t, line.kind)}</td>
            <td>{format.whole(line.amount)}</td>
            <td>
              {price(line.kind, line.ratio)}
              <Text fz="xs" c="dimmed">
                × {line.ratio}
                {discounted ? ` × ${bill.group_ratio}` : ""}
              </Text>
            </td>
            <td>{line.points}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        {discounted ? (
          <tr>
            <td colSpan={3}>{t("Ratio of the group {{group}}, in every line", { group: row.group })}</td>
            <td>× {bill.group_ratio}</td>
          </tr>
        ) : null}
        <tr>
          <td colSpan={3}>{t("Exact sum")}</td>
          <td>{bill.exact}</td>
        </tr>
        {bill.exact.includes(".") ? (
          <tr>
            <td colSpan={3}>{t("Rounded up")}</td>
            <td>{format.whole(row.quota)}</td>
          </tr>
        ) : null}
        {row.estimated ? (
          <tr>
            <td colSpan={4}>
              <Text fz="sm" c="dimmed">
                {t("The vendor reported no usage, so the tokens were counted here.")}
              </Text>
            </td>
          </tr>
        ) : null}
        <tr>
          <td colSpan={3}>{t("Charged")}</td>
          <td>{format.usd(row.quota, 6)}</td>
        </tr>
      </tfoot>
    </table>
  );
}

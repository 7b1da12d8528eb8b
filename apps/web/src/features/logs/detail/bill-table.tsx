/** The cost of a call, line by line in dollars; the calculation in points on demand. */
import type { Bill, LogRow } from "@gateway/shared/usage/log";
import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCalculator } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { billKindText } from "#features/logs/log-labels.ts";
import { useFormat } from "#lib/format/quota.ts";
import { BillArithmetic } from "./bill-arithmetic.tsx";
import { type CostLine, costsOf, uncollectedLabel } from "./bill.ts";
import { CacheMarksNote } from "./cache-marks-note.tsx";
import classes from "#features/logs/logs.module.css";

export function BillTable({ row, bill }: { row: LogRow; bill: Bill }) {
  const { t } = useTranslation("logs");
  const format = useFormat();
  const [isShown, calculation] = useDisclosure(false);
  const { lines, print, rounded } = costsOf(bill, format.pointsPerUsd);
  const uncollected = Number(bill.uncollected ?? "0");
  const rounding = rounded(row.quota + uncollected);
  const amount = ({ amount: count, perCall }: CostLine) => {
    const number = format.whole(count);
    return perCall ? t("{{number}} calls", { count, number }) : t("{{number}} tokens", { count, number });
  };
  const price = ({ price: usd, perCall }: CostLine) =>
    perCall ? t("${{price}} each", { price: usd }) : t("${{price}} / 1M", { price: usd });
  return (
    <>
      <table className={classes.bill} aria-label={t("Cost")}>
        <thead>
          <tr>
            <th scope="col">{t("Item")}</th>
            <th scope="col">{t("Amount")}</th>
            <th scope="col">{t("Price")}</th>
            <th scope="col">{t("Cost")}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.kind}>
              <td>{billKindText(t, line.kind)}</td>
              <td>{amount(line)}</td>
              <td>{price(line)}</td>
              <td>${line.cost}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {rounding === "" ? null : (
            <tr>
              <td colSpan={3}>{t("Rounded up")}</td>
              <td>${rounding}</td>
            </tr>
          )}
          {uncollected > 0 ? (
            <tr>
              <td colSpan={3}>{t(uncollectedLabel(bill))}</td>
              <td>−${print(uncollected)}</td>
            </tr>
          ) : null}
          <tr data-sum>
            <td colSpan={3}>{t("Charged")}</td>
            <td>${print(row.quota)}</td>
          </tr>
        </tfoot>
      </table>
      {row.estimated ? (
        <Text fz="sm" c="dimmed" mt="xs">
          {bill.implausible
            ? t("The provider reported impossible token counts. They were replaced or capped.")
            : t("The provider reported no usage. The gateway counted the tokens.")}
        </Text>
      ) : null}
      <CacheMarksNote bill={bill} />
      <Button
        variant="subtle"
        size="compact-sm"
        mt="sm"
        ml={-8}
        w="fit-content"
        display="block"
        leftSection={<IconCalculator size={15} />}
        aria-expanded={isShown}
        onClick={calculation.toggle}
      >
        {isShown ? t("Hide the calculation") : t("Show the calculation")}
      </Button>
      {isShown ? (
        <div style={{ marginTop: 10 }}>
          <BillArithmetic row={row} bill={bill} />
        </div>
      ) : null}
    </>
  );
}

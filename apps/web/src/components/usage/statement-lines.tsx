/** The lines of a statement by model, with their total. */
import type { StatementLine } from "@gateway/shared/billing/statement";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { useFormat } from "#lib/format/quota.ts";
import { Figures } from "#ui/figures/figures.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";

/** @param label name of the table, where no heading of a drawer names it */
export function StatementLines({ lines, label }: { lines: StatementLine[]; label?: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const phone = useIsPhone();
  const total = (of: (line: StatementLine) => number) => lines.reduce((sum, line) => sum + of(line), 0);
  const spend = (points: number) => <Amount column="spend" points={points} />;
  const columns: {
    title: string;
    of: (line: StatementLine) => number;
    print: (value: number) => ReactNode;
  }[] = [
    { title: t("Charged"), of: (line) => line.quota, print: spend },
    { title: t("Successful calls"), of: (line) => line.request_count, print: format.whole },
    ...(phone
      ? []
      : [
          {
            title: t("Input tokens"),
            of: (line: StatementLine) => line.prompt_tokens,
            print: format.whole,
          },
          {
            title: t("Output tokens"),
            of: (line: StatementLine) => line.completion_tokens,
            print: format.whole,
          },
        ]),
  ];
  const amounts = lines.map((line) => line.quota);
  return (
    <Figures
      wraps
      {...(label === undefined ? {} : { label })}
      amounts={{ spend: [...amounts, total((line) => line.quota)] }}
    >
      <thead>
        <tr>
          <th scope="col">{t("Model")}</th>
          {columns.map((column) => (
            <th key={column.title} scope="col">
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.model_name}>
            <th scope="row">{line.model_name || "–"}</th>
            {columns.map((column) => (
              <td key={column.title}>{column.print(column.of(line))}</td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">{t("Total")}</th>
          {columns.map((column) => (
            <td key={column.title}>{column.print(total(column.of))}</td>
          ))}
        </tr>
      </tfoot>
    </Figures>
  );
}

/** A closed month by model, with a file download. */
import type { StatementLine } from "@gateway/shared/billing/statement";
import { Button, Drawer, Group, ScrollArea, Skeleton, Text, Title } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Amount } from "#components/amount.tsx";
import { downloadCsv } from "#lib/format/csv.ts";
import { useFormat } from "#lib/format/quota.ts";
import { useSystemName } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { Figures } from "#ui/figures/figures.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./statement-drawer.module.css";

type StatementDrawerProps = {
  title: string;
  /** Printed below the title, unless it is part of it. */
  account?: string | undefined;
  /** Undefined while loading. */
  lines: StatementLine[] | undefined;
  error: unknown;
  onRetry: () => void;
  /** File name of the download, without its extension. */
  fileName: string;
  onClose: () => void;
};

export function StatementDrawer(props: StatementDrawerProps) {
  const { title, account, lines, error, onRetry, fileName, onClose } = props;
  const { t } = useTranslation();
  const phone = useIsPhone();
  const issuer = useSystemName();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 600}
      scrollAreaComponent={ScrollArea.Autosize}
      classNames={{
        root: classes.root,
        overlay: classes.left,
        inner: classes.flat,
        content: classes.flat,
        header: classes.header,
        body: classes.flat,
        close: classes.left,
      }}
      title={
        <Title order={2} component="span" fz="lg">
          {title}
        </Title>
      }
    >
      {lines ? (
        <>
          <Text className={classes.issuer}>{account ? `${issuer} · ${account}` : issuer}</Text>
          <Lines lines={lines} />
          <Group gap="xs" mt="lg" className={classes.left}>
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() => exportLines(fileName, lines)}
            >
              {t("Export")}
            </Button>
            <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
              {t("Print")}
            </Button>
          </Group>
        </>
      ) : error ? (
        <LoadError error={error} onRetry={onRetry} />
      ) : (
        <Skeleton height={240} />
      )}
    </Drawer>
  );
}

function Lines({ lines }: { lines: StatementLine[] }) {
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
    { title: t("Requests"), of: (line) => line.request_count, print: format.whole },
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
    <Figures wraps amounts={{ spend: [...amounts, total((line) => line.quota)] }}>
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

function exportLines(fileName: string, lines: StatementLine[]): void {
  downloadCsv(`${fileName}.csv`, [
    ["month", "model", "requests", "points", "input_tokens", "output_tokens", "time_ms"],
    ...lines.map((line) => [
      line.date.slice(0, 7),
      line.model_name,
      line.request_count,
      line.quota,
      line.prompt_tokens,
      line.completion_tokens,
      line.request_time,
    ]),
  ]);
}

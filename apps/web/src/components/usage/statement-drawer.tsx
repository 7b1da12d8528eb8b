/** A closed month by model, with a file download. */
import type { StatementLine } from "@gateway/shared/billing/statement";
import { Button, Group, ScrollArea, Skeleton, Text } from "@mantine/core";
import { IconDownload, IconPrinter } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { useSystemName } from "#lib/site.ts";
import { LoadError } from "#ui/empty.tsx";
import { SideDrawer } from "#ui/page/side-drawer.tsx";
import { exportStatement } from "./export-statement.ts";
import { StatementLines } from "./statement-lines.tsx";
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
  const issuer = useSystemName();
  return (
    <SideDrawer onClose={onClose} width={600} scrollAreaComponent={ScrollArea.Autosize} title={title}>
      {lines ? (
        <>
          <Text className={classes.issuer}>{account ? `${issuer} · ${account}` : issuer}</Text>
          <StatementLines lines={lines} />
          <Group gap="xs" mt="lg">
            <Button
              variant="default"
              leftSection={<IconDownload size={16} />}
              onClick={() => exportStatement(fileName, lines)}
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
    </SideDrawer>
  );
}

/** The filters of a list: beside the search box; on a phone in a sheet, so that the rows begin at the top. */
import { Button, Drawer, Indicator, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFilter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useIsPhone } from "#ui/use-is-phone.ts";
import classes from "./data-table.module.css";

type FilterSheetProps = {
  /** Number of active filters in the sheet. */
  active: number;
  children: ReactNode;
};

export function FilterSheet({ active, children }: FilterSheetProps) {
  const { t } = useTranslation();
  const phone = useIsPhone();
  const [isOpen, sheet] = useDisclosure(false);
  if (!phone) return children;
  return (
    <>
      <Indicator label={active} size={16} disabled={active === 0} offset={3}>
        <Button variant="default" fw={500} leftSection={<IconFilter size={15} />} onClick={sheet.open}>
          {t("Filters")}
        </Button>
      </Indicator>
      <Drawer
        opened={isOpen}
        onClose={sheet.close}
        position="bottom"
        size="auto"
        padding="md"
        title={t("Filters")}
      >
        <Stack gap="xs" align="stretch" className={classes.sheet}>
          {children}
          <Button mt="xs" onClick={sheet.close}>
            {t("Show results")}
          </Button>
        </Stack>
      </Drawer>
    </>
  );
}

import { Button, Drawer, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import classes from "./data-table.module.css";

type BottomSheetProps = { opened: boolean; onClose: () => void; title: string; children: ReactNode };

export function BottomSheet({ opened, onClose, title, children }: BottomSheetProps) {
  const { t } = useTranslation();
  return (
    <Drawer opened={opened} onClose={onClose} position="bottom" size="auto" padding="md" title={title}>
      <Stack gap="xs" align="stretch" className={classes.sheet}>
        {children}
        <Button mt="xs" onClick={onClose}>
          {t("Show results")}
        </Button>
      </Stack>
    </Drawer>
  );
}

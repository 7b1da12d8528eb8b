import { Group } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./dialog-buttons.module.css";

/** The buttons at the end of a dialog. They stay in view when its content is higher than the window. */
export function DialogButtons({ children }: { children: ReactNode }) {
  return (
    <Group justify="flex-end" gap="xs" className={classes.buttons}>
      {children}
    </Group>
  );
}

/** A title that opens an explanation, with the keyboard too. */
import { Popover, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./stats.module.css";

export function About({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Popover width={320} position="bottom-start" shadow="md" trapFocus={false}>
      <Popover.Target>
        <UnstyledButton className={classes.hinted} fz="inherit" c="inherit" lh="inherit">
          {title}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown fz="sm">{children}</Popover.Dropdown>
    </Popover>
  );
}

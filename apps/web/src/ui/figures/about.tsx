/** A title that opens an explanation, with the keyboard too. */
import { Popover, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { KeyboardEvent, ReactNode } from "react";
import classes from "./stats.module.css";

export function About({ title, children }: { title: string; children: ReactNode }) {
  const [opened, { close, toggle }] = useDisclosure(false);
  // The explanation has nothing to focus, so the key is pressed on the title.
  const closeOnEscape = ({ key }: KeyboardEvent) => {
    if (key === "Escape") close();
  };
  return (
    <Popover opened={opened} onDismiss={close} width={320} position="bottom-start" shadow="md">
      <Popover.Target>
        <UnstyledButton
          className={classes.hinted}
          fz="inherit"
          c="inherit"
          lh="inherit"
          onClick={toggle}
          onKeyDown={closeOnEscape}
        >
          {title}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown fz="sm">{children}</Popover.Dropdown>
    </Popover>
  );
}

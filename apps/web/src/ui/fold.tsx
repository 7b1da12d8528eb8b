/** Collapses content that is rarely needed. */
import { Collapse, Stack, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useMayChange } from "#lib/changes.ts";
import classes from "./fold.module.css";

/** `opened` opens it from outside, for example when a field inside has an error. */
export function Fold({
  label,
  opened = false,
  children,
}: {
  label: string;
  opened?: boolean;
  children: ReactNode;
}) {
  // Starts open in a read-only form, which disables its button.
  const [unfolded, { toggle }] = useDisclosure(!useMayChange());
  const open = unfolded || opened;
  return (
    <div>
      <UnstyledButton className={classes.label} onClick={toggle} aria-expanded={open}>
        <IconChevronRight size={15} className={classes.arrow} data-open={open || undefined} />
        {label}
      </UnstyledButton>
      <Collapse expanded={open} transitionDuration={160}>
        <Stack gap="md" pt="md">
          {children}
        </Stack>
      </Collapse>
    </div>
  );
}

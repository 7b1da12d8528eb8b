import { Box, Collapse, Switch } from "@mantine/core";
import type { ReactNode } from "react";
import type { TokenSchemaForm } from "./form-schema.ts";
import classes from "#features/tokens/tokens.module.css";

type SwitchedFieldProps = {
  form: TokenSchemaForm;
  path: string;
  label: string;
  hint: string;
  children: ReactNode;
};

/** A switch that shows its settings when it is on. */
export function SwitchedField({ form, path, label, hint, children }: SwitchedFieldProps) {
  const { checked, ...input } = form.getInputProps(path, { type: "checkbox" });
  return (
    <div className={classes.restriction}>
      <Switch label={label} description={hint} checked={checked} {...input} />
      <Collapse expanded={Boolean(checked)} transitionDuration={160}>
        <Box pt="sm">{children}</Box>
      </Collapse>
    </div>
  );
}

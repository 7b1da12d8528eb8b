/** A short list inside a card: icon, description and actions per row. */
import { Stack, Text, ThemeIcon } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./line-list.module.css";

export function LineList({ children }: { children: ReactNode }) {
  return (
    <Stack component="ul" gap={0} className={classes.list}>
      {children}
    </Stack>
  );
}

type LineProps = { picture: ReactNode; title: ReactNode; detail: ReactNode; action?: ReactNode };

export function Line({ picture, title, detail, action }: LineProps) {
  return (
    <li className={classes.row}>
      <ThemeIcon variant="default" size={34} radius="md" c="dimmed">
        {picture}
      </ThemeIcon>
      <div className={classes.words}>
        {title}
        <Text fz="sm" c="dimmed" className={classes.detail ?? ""}>
          {detail}
        </Text>
      </div>
      {action}
    </li>
  );
}

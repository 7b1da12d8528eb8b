import { Card } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./dashboard.module.css";

type StatFrameProps = { title: ReactNode; figure: ReactNode; note: ReactNode };

/** A card with three lines, which are level with those of the cards beside it. */
export function StatFrame({ title, figure, note }: StatFrameProps) {
  return (
    <Card padding="md" className={classes.stat}>
      <div className={classes.statTitle}>{title}</div>
      <div className={classes.statFigure}>{figure}</div>
      <div className={classes.statNote}>{note}</div>
    </Card>
  );
}

/** A row of options with one selected; scrolls sideways on narrow screens. */
import { UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./model-prices.module.css";

export type ChipChoice = { value: string; label: string; icon?: ReactNode; note?: string };

type ChoiceChipsProps = {
  label: string;
  choices: ChipChoice[];
  value: string;
  onChange: (value: string) => void;
};

export function ChoiceChips({ label, choices, value, onChange }: ChoiceChipsProps) {
  return (
    <div className={classes.chips} role="group" aria-label={label}>
      {choices.map((choice) => (
        <UnstyledButton
          key={choice.value}
          className={classes.chip}
          aria-pressed={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.icon}
          <span>{choice.label}</span>
          {choice.note ? <span className={classes.note}>{choice.note}</span> : null}
        </UnstyledButton>
      ))}
    </div>
  );
}

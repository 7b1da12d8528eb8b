/**
 * A choice of a few short options, all visible. Native radio
 * buttons keep the first page of the public site small.
 */
import { useId } from "react";
import classes from "./choice-bar.module.css";

type ChoiceBarProps<T extends string> = {
  label: string;
  choices: readonly T[];
  /** Shown instead of the values. */
  titles?: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
};

export function ChoiceBar<T extends string>({ label, choices, titles, value, onChange }: ChoiceBarProps<T>) {
  const name = useId();
  return (
    <div role="radiogroup" aria-label={label} className={classes.bar}>
      {choices.map((choice) => (
        <label key={choice} className={classes.choice}>
          <input type="radio" name={name} checked={choice === value} onChange={() => onChange(choice)} />
          {titles?.[choice] ?? choice}
        </label>
      ))}
    </div>
  );
}

import classes from "./usage-bar.module.css";

type UsageBarProps = {
  used: number;
  /** The used part of the limit, from 0 to 1 or more. */
  share: number;
  tone: "warn" | "bad" | undefined;
};

/** A thin bar for a used part, below the text that says it. A small use stays visible. */
export function UsageBar({ used, share, tone }: UsageBarProps) {
  return (
    <div className={classes.bar} aria-hidden>
      <div data-tone={tone} style={{ width: `${Math.max(share * 100, used > 0 ? 3 : 0)}%` }} />
    </div>
  );
}

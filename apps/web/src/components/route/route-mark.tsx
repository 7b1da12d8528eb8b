/** The attempts of a call as a small line of marks: a cross for a failed one, a dot for the answer. */
import classes from "./route-mark.module.css";

/** More are shown as this many: the label says how many there were. */
const most = 4;
const step = 11;

type RouteMarkProps = {
  failed: number;
  answered: boolean;
  /** Translated. */
  label: string;
};

export function RouteMark({ failed, answered, label }: RouteMarkProps) {
  const crosses = Math.min(failed, answered ? most - 1 : most);
  const end = 6 + (crosses - (answered ? 0 : 1)) * step;
  return (
    <svg className={classes.route} width={end + 6} height={12} role="img" aria-label={label}>
      <title>{label}</title>
      <line className={classes.line} x1={6} y1={6} x2={end} y2={6} />
      {Array.from({ length: crosses }, (_, place) => (
        // Their number is all that they say.
        <path key={place} className={classes.failed} d={`M${3.5 + place * step} 3.5l5 5m0 -5l-5 5`} />
      ))}
      {answered ? <circle className={classes.answered} cx={end} cy={6} r={3.5} /> : null}
    </svg>
  );
}

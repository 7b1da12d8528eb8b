import { fitsIn } from "./text-width.ts";
import classes from "./short.module.css";

type ShortProps = {
  text: string;
  /** Maximum width in pixels in a window of 1,440 px; a wider one has room for more. */
  width: number;
  /** Tooltip; the whole text by default. */
  title?: string;
  /** The name of its row. */
  strong?: boolean;
};

/** One line of text, truncated to the width. A plain element: a list renders hundreds of them. */
export function Short({ text, width, title = text, strong = false }: ShortProps) {
  const fits = fitsIn(text, width);
  return (
    <span
      className={fits ? classes.line : `${classes.line} ${classes.cut}`}
      data-strong={strong || undefined}
      style={fits ? undefined : { maxWidth: `calc(${width}px + var(--spare))` }}
      title={title}
    >
      {text}
    </span>
  );
}

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
  return (
    <span
      className={classes.line}
      data-strong={strong || undefined}
      style={{ maxWidth: `calc(${width}px + var(--spare))` }}
      title={title}
    >
      {text}
    </span>
  );
}

/** A command or a file with a bar above it, and a button that copies it. */
import type { ReactNode } from "react";
import { CopyButton } from "#ui/copy.tsx";
import classes from "./code-box.module.css";

/** Highlights strings and keywords in two colours. A library would be too large for that. */
function highlight(code: string) {
  return code.split(/("[^"\n]*"|'[^'\n]*')/g).map((part, index) => {
    // Parts never move, so the position is the key.
    const key = `${index}:${part.length}`;
    return index % 2 === 1 ? (
      <span key={key} className={classes.string}>
        {part}
      </span>
    ) : (
      <span key={key}>{part}</span>
    );
  });
}

type CodeBoxProps = {
  code: string;
  /** What is copied, translated: "Code", "File". */
  label: string;
  /** Path of the file, or a choice. */
  bar?: ReactNode;
  /** Keeps the box at the height of most samples, so that nothing below moves. */
  steady?: boolean;
};

export function CodeBox({ code, label, bar, steady }: CodeBoxProps) {
  return (
    <div className={classes.box}>
      <div className={classes.bar}>
        <div className={classes.title}>{bar}</div>
        <CopyButton text={code} label={label} />
      </div>
      <pre className={classes.code} data-steady={steady || undefined} tabIndex={0}>
        <code>{highlight(code)}</code>
      </pre>
    </div>
  );
}

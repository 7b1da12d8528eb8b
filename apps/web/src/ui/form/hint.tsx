/** A tooltip that costs the first page nothing: its library comes when a pointer or the keyboard first gets there. */
import { lazy, type ReactNode, useRef, useState } from "react";
import { LatePart } from "#ui/late-part.tsx";
import classes from "./hint.module.css";

const Bubble = lazy(() => import("./hint-bubble.tsx").then((module) => ({ default: module.HintBubble })));

export function Hint({ label, children }: { label: string; children: ReactNode }) {
  const place = useRef<HTMLSpanElement>(null);
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const wake = () => setTarget((known) => known ?? (place.current?.firstElementChild as HTMLElement | null));
  return (
    <>
      <span ref={place} className={classes.place} onPointerEnter={wake} onPointerOver={wake} onFocus={wake}>
        {children}
      </span>
      {target ? (
        <LatePart>
          <Bubble label={label} target={target} />
        </LatePart>
      ) : null}
    </>
  );
}

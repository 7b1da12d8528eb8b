/**
 * A tooltip whose library is loaded on the first hover or focus, so that the first page does not include it.
 */
import { lazy, type ReactNode, useRef, useState } from "react";
import { LatePart } from "#ui/late-part.tsx";
import classes from "./hint.module.css";

const Bubble = lazy(() => import("./hint-bubble.tsx").then((module) => ({ default: module.HintBubble })));

type HintProps = { label: string; position?: "top" | "right"; children: ReactNode };

export function Hint({ label, position = "top", children }: HintProps) {
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
          <Bubble label={label} position={position} target={target} />
        </LatePart>
      ) : null}
    </>
  );
}

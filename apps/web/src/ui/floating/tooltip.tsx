import type { TooltipProps as WholeProps } from "@mantine/core";
import { useMergedRef, useTimeout } from "@mantine/hooks";
import {
  cloneElement,
  type PointerEvent,
  type ReactElement,
  type Ref,
  useEffect,
  useRef,
  useState,
} from "react";
import { floating, withFloating } from "./late-floating.tsx";

/** Delay of the theme's tooltips, in milliseconds. */
const OPEN_AFTER_MS = 250;

type BubbleProps = Pick<
  WholeProps,
  "label" | "position" | "color" | "multiline" | "maw" | "disabled" | "opened"
>;

type ChildProps = {
  ref?: Ref<HTMLElement>;
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave?: (event: PointerEvent<HTMLElement>) => void;
};

type TooltipProps = BubbleProps & ChildProps & { children: ReactElement<ChildProps> };

/** Mantine's tooltip, loaded when it is first shown. Passes all other properties on to its child. */
export function Tooltip(props: TooltipProps) {
  const { label, position, color, multiline, maw, disabled, opened, children, ref, ...others } = props;
  const target = useRef<HTMLElement>(null);
  const merged = useMergedRef(target, ref, children.props.ref);
  const [present, setPresent] = useState(false);
  const { start, clear } = useTimeout((element: HTMLElement) => {
    withFloating(() => setPresent((known) => known || element.matches(":hover")));
  }, OPEN_AFTER_MS);
  useEffect(() => {
    if (opened) withFloating(() => setPresent(true));
  }, [opened]);
  const enter = (event: PointerEvent<HTMLElement>) => {
    others.onPointerEnter?.(event);
    children.props.onPointerEnter?.(event);
    if (present || disabled || opened !== undefined || event.pointerType !== "mouse") return;
    start(event.currentTarget);
  };
  const leave = (event: PointerEvent<HTMLElement>) => {
    others.onPointerLeave?.(event);
    children.props.onPointerLeave?.(event);
    clear();
  };
  const bubble = { label, position, color, multiline, maw, disabled, opened };
  return (
    <>
      {cloneElement(children, { ...others, ref: merged, onPointerEnter: enter, onPointerLeave: leave })}
      {present ? <Bubble {...bubble} target={target} /> : null}
    </>
  );
}

/** Appears open: the pointer has rested on the target for as long as tooltips wait. */
function Bubble(props: BubbleProps & Pick<WholeProps, "target">) {
  const { Tooltip: Whole } = floating();
  const given = Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined));
  return (
    <Whole label={props.label} {...given} {...(props.opened === undefined ? { defaultOpened: true } : {})} />
  );
}

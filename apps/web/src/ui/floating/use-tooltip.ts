/** When a tooltip is shown: the pointer rests on its target or is on the text, or the target has the keyboard's focus. */
import { useTimeout } from "@mantine/hooks";
import {
  type FocusEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { withFloating } from "./late-floating.tsx";

const OPEN_AFTER_MS = 250;
/** The way from the target to the text. */
const CLOSE_AFTER_MS = 120;

export type TargetEvents = {
  onPointerEnter: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave: (event: PointerEvent<HTMLElement>) => void;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
  onFocus: (event: FocusEvent<HTMLElement>) => void;
  onBlur: (event: FocusEvent<HTMLElement>) => void;
};

export type Target = RefObject<HTMLElement | null>;

/**
 * @param disabled hides it
 * @param opened shows or hides it, whatever has the pointer or the focus
 */
export function useTooltip(disabled: boolean, opened: boolean | undefined) {
  /** Whether its code is loaded and was needed. */
  const [present, setPresent] = useState(false);
  const [own, setOwn] = useState(false);
  const wanted = useRef(false);
  const show = () =>
    withFloating(() => {
      if (!wanted.current) return;
      setPresent(true);
      setOwn(true);
    });
  const opening = useTimeout(show, OPEN_AFTER_MS);
  const closing = useTimeout(() => setOwn(false), CLOSE_AFTER_MS);
  useEffect(() => {
    if (opened) withFloating(() => setPresent(true));
  }, [opened]);

  const want = (then: () => void) => {
    if (disabled || opened !== undefined) return;
    closing.clear();
    wanted.current = true;
    then();
  };
  const hide = () => {
    wanted.current = false;
    opening.clear();
    setOwn(false);
  };
  const onTarget: TargetEvents = {
    onPointerEnter: (event) => {
      if (event.pointerType === "mouse") want(opening.start);
    },
    onPointerLeave: (event) => {
      if (event.currentTarget.matches(":focus-visible, :has(:focus-visible)")) return;
      wanted.current = false;
      opening.clear();
      closing.start();
    },
    onPointerDown: hide,
    onFocus: (event) => {
      if (event.target.matches(":focus-visible")) want(show);
    },
    onBlur: hide,
  };
  const shown = !disabled && (opened ?? own);
  return {
    present,
    shown,
    hide,
    onTarget,
    onBubble: { onPointerEnter: closing.clear, onPointerLeave: closing.start },
  };
}

const focusable = [
  "a[href]",
  "button:enabled",
  "input:enabled",
  "select:enabled",
  "textarea:enabled",
  "[tabindex]",
]
  .map((selector) => `${selector}:not([tabindex="-1"])`)
  .join(", ");

/** Returns what has the focus of a target: itself or an element in it. */
export function focusableOf(target: HTMLElement): HTMLElement | null {
  return target.matches(focusable) ? target : target.querySelector<HTMLElement>(focusable);
}

/** Lets the keyboard reach a target that is not a control. */
export function useFocusable(target: Target, wanted: boolean): void {
  useLayoutEffect(() => {
    const element = target.current;
    if (wanted && element && !focusableOf(element)) element.setAttribute("tabindex", "0");
  });
}

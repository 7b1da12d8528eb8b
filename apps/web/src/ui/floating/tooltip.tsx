/**
 * A short text beside an element, shown on hover and on keyboard focus. The pointer may enter it, and Escape closes it. Its
 * target can always have the focus, because not everyone uses a pointer.
 */
import { useMergedRef } from "@mantine/hooks";
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type Ref,
  type RefCallback,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { floating, withFloating } from "./load-floating.ts";
import type { TextProps, TooltipBubbleProps } from "./tooltip-bubble.tsx";
import { hasPointerOrFocus, OPEN_AFTER_MS, useFocusable } from "./tooltip-target.ts";

type ChildProps = {
  ref?: Ref<HTMLElement>;
  disabled?: boolean | undefined;
  "aria-label"?: string | undefined;
  onClick?: (event: MouseEvent<HTMLElement>) => void;
};

type TooltipProps = TextProps &
  Omit<ChildProps, "disabled"> & {
    disabled?: boolean;
    /** Shows or hides it, whatever has the pointer or the focus. */
    opened?: boolean;
    children: ReactElement<ChildProps>;
  };

/** Mantine's tooltip, loaded when it is first shown. Passes all other properties on to its child. */
export function Tooltip(props: TooltipProps) {
  const {
    label,
    position,
    color,
    multiline,
    maw,
    disabled = false,
    opened,
    children,
    ref,
    ...others
  } = props;
  const target = useRef<HTMLElement>(null);
  const isOwn = !disabled && opened === undefined;
  const [present, listen] = useFirstShowing(isOwn, opened === true);
  const merged = useMergedRef(target, ref, children.props.ref, listen);
  useFocusable(target, isOwn);
  const isRefused = isOwn && isDisabledControl(children.props) && children.props["aria-label"] !== label;
  return (
    <>
      {cloneElement(children, {
        ...others,
        ...(isRefused ? refused : {}),
        ...(isOwn ? marked : {}),
        ref: merged,
      })}
      {present ? <Bubble {...{ label, position, color, multiline, maw, disabled, opened, target }} /> : null}
    </>
  );
}

/** Returns whether the text is loaded and was needed. From then on, it listens to the target itself. */
function useFirstShowing(isOwn: boolean, opened: boolean): [present: boolean, ref: RefCallback<HTMLElement>] {
  const [present, setPresent] = useState(false);
  useEffect(() => {
    if (opened) withFloating(() => setPresent(true));
  }, [opened]);
  const waits = isOwn && !present;
  const listen = useCallback(
    (element: HTMLElement | null) => {
      if (!waits || !element) return;
      return listenTo(element, () => withFloating(() => setPresent(hasPointerOrFocus(element))));
    },
    [waits],
  );
  return [present, listen];
}

/** Calls `show` when the pointer rests on the element, or the keyboard reaches it. Returns the end of it. */
function listenTo(element: HTMLElement, show: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const clear = () => clearTimeout(timer);
  const enter = ({ pointerType }: PointerEvent) => {
    if (pointerType === "mouse") timer = setTimeout(show, OPEN_AFTER_MS);
  };
  const focus = ({ target }: FocusEvent) => {
    if ((target as Element).matches(":focus-visible")) show();
  };
  const until = new AbortController();
  const { signal } = until;
  element.addEventListener("pointerenter", enter, { signal });
  element.addEventListener("pointerleave", clear, { signal });
  element.addEventListener("pointerdown", clear, { signal });
  element.addEventListener("focusin", focus, { signal });
  return () => {
    clear();
    until.abort();
  };
}

/** Other elements, too, have a `disabled` of their own. */
const isDisabledControl = ({ disabled, onClick }: ChildProps) => disabled === true && onClick !== undefined;

/** Tests find targets by it. */
const marked: object = { "data-tooltip": true };

/** A control that explains why it cannot be used must be reachable. It looks disabled. */
const refused: object = {
  disabled: undefined,
  "data-disabled": true,
  "aria-disabled": true,
  onClick: (event: MouseEvent) => event.preventDefault(),
};

function Bubble(props: TooltipBubbleProps) {
  const { TooltipBubble } = floating();
  return <TooltipBubble {...props} />;
}

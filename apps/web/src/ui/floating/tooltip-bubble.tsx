/** The text of a tooltip. Loaded when the first one is shown. */
import { Tooltip, type TooltipProps } from "@mantine/core";
import { useTimeout } from "@mantine/hooks";
import { type MouseEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { focusableOf, hasFocus, OPEN_AFTER_MS, type Target } from "./tooltip-target.ts";

/** The time for the way from the target to the text, in milliseconds. */
const CLOSE_AFTER_MS = 120;

export type TextProps = Pick<TooltipProps, "label" | "position" | "color" | "multiline" | "maw">;

export type TooltipBubbleProps = { [Name in keyof TextProps]: TextProps[Name] | undefined } & {
  target: Target;
  disabled: boolean;
  opened: boolean | undefined;
};

const noEvents = { hover: false, focus: false, touch: false };

/** Appears open: its target already has the pointer or the focus. */
export function TooltipBubble({ label, target, disabled, opened, ...others }: TooltipBubbleProps) {
  const id = useId();
  const isOwn = !disabled && opened === undefined;
  const own = useShown(target, isOwn);
  const shown = !disabled && (opened ?? own.shown);
  useDescription(target, label, id, shown);
  useEscape(target, shown && isOwn ? own.hide : undefined);
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return (
    <Tooltip
      label={<div id={id}>{label}</div>}
      target={target}
      opened={shown}
      events={noEvents}
      interactive
      // React passes events of the text on to what surrounds the target, such as a row that can be clicked.
      onClickCapture={(event: MouseEvent) => event.stopPropagation()}
      onPointerEnter={own.enter}
      onPointerLeave={own.leave}
      {...given}
    />
  );
}

/** Shown while the pointer rests on the target or is on the text, or the target has the keyboard's focus. */
function useShown(target: Target, wanted: boolean) {
  const [shown, setShown] = useState(true);
  const opening = useTimeout(() => setShown(true), OPEN_AFTER_MS);
  const closing = useTimeout(() => setShown(false), CLOSE_AFTER_MS);
  /** Whether the pointer is on the text. React reports it before the browser reports that it has left the target. */
  const isInside = useRef(false);
  const hide = () => {
    opening.clear();
    setShown(false);
  };
  useEffect(() => {
    const element = target.current;
    if (!wanted || !element) return;
    const stop = new AbortController();
    const on = <Name extends keyof HTMLElementEventMap>(
      name: Name,
      then: (event: HTMLElementEventMap[Name]) => void,
    ) => element.addEventListener(name, then, { signal: stop.signal });
    on("pointerenter", ({ pointerType }) => {
      closing.clear();
      if (pointerType === "mouse") opening.start();
    });
    on("pointerleave", () => {
      opening.clear();
      if (!isInside.current && !hasFocus(element)) closing.start();
    });
    on("pointerdown", hide);
    on("focusin", (event) => {
      if ((event.target as Element).matches(":focus-visible")) setShown(true);
    });
    on("focusout", hide);
    return () => stop.abort();
  });
  const enter = () => {
    isInside.current = true;
    closing.clear();
  };
  const leave = () => {
    isInside.current = false;
    closing.start();
  };
  return { shown, hide, enter, leave };
}

/** Escape closes the tooltip of what has the focus, and not the dialog around it. */
function useEscape(target: Target, hide: (() => void) | undefined): void {
  const shown = hide !== undefined;
  const onEscape = useEffectEvent(() => hide?.());
  useEffect(() => {
    if (!shown) return;
    const { activeElement } = document;
    const focused = target.current?.contains(activeElement) ? activeElement : null;
    // Mantine's dialogs listen first, and heed this.
    focused?.setAttribute(ESCAPES, "true");
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      if (focused) event.stopPropagation();
      onEscape();
    };
    window.addEventListener("keydown", onKey, true);
    return () => {
      focused?.removeAttribute(ESCAPES);
      window.removeEventListener("keydown", onKey, true);
    };
  }, [shown, target]);
}

const ESCAPES = "data-mantine-stop-propagation";

/** Describes a target by the text while that is shown, unless it is the name of the target. */
function useDescription(target: Target, text: unknown, id: string, shown: boolean): void {
  useEffect(() => {
    const element = target.current && (focusableOf(target.current) ?? target.current);
    if (!shown || !element || element.getAttribute("aria-label") === text) return;
    const others = (element.getAttribute("aria-describedby") ?? "").split(" ").filter(Boolean);
    element.setAttribute("aria-describedby", [...others, id].join(" "));
    return () => {
      if (others.length > 0) element.setAttribute("aria-describedby", others.join(" "));
      else element.removeAttribute("aria-describedby");
    };
  }, [target, text, id, shown]);
}

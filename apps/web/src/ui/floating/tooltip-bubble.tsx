/** The text of a tooltip. Loaded when the first one is shown. */
import { Tooltip, type TooltipProps } from "@mantine/core";
import { type MouseEvent, type PointerEvent, useEffect, useEffectEvent, useId } from "react";
import { focusableOf, type Target } from "./use-tooltip.ts";

export type TextProps = Pick<TooltipProps, "label" | "position" | "color" | "multiline" | "maw">;

export type TooltipBubbleProps = { [Name in keyof TextProps]: TextProps[Name] | undefined } & {
  opened: boolean;
  target: Target;
  /** Closes it; undefined when its owner does. */
  onEscape: (() => void) | undefined;
  onPointerEnter: (event: PointerEvent) => void;
  onPointerLeave: (event: PointerEvent) => void;
};

const noEvents = { hover: false, focus: false, touch: false };

export function TooltipBubble({ label, target, opened, onEscape, ...others }: TooltipBubbleProps) {
  const id = useId();
  useDescription(target, label, id, opened);
  useEscape(target, opened ? onEscape : undefined);
  const given = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return (
    <Tooltip
      label={<div id={id}>{label}</div>}
      target={target}
      opened={opened}
      events={noEvents}
      interactive
      // React passes events of the text on to what surrounds the target, such as a row that can be clicked.
      onClickCapture={(event: MouseEvent) => event.stopPropagation()}
      {...given}
    />
  );
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

/** The element that a tooltip belongs to. */
import { type RefObject, useLayoutEffect } from "react";

export type Target = RefObject<HTMLElement | null>;

/** For as long the pointer rests on a target before its text is shown, in milliseconds. */
export const OPEN_AFTER_MS = 250;

/** Returns whether the keyboard's focus is on a target or in it. */
export const hasFocus = (target: Element): boolean => target.matches(":focus-visible, :has(:focus-visible)");

export const hasPointerOrFocus = (target: Element): boolean => target.matches(":hover") || hasFocus(target);

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

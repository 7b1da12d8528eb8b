/**
 * A short text beside an element, shown on hover and on keyboard focus. The pointer may enter it, and Escape closes it. Its
 * target can always have the focus, because not everyone uses a pointer.
 */
import { useMergedRef } from "@mantine/hooks";
import { cloneElement, type MouseEvent, type ReactElement, type Ref, useRef } from "react";
import { floating } from "./late-floating.tsx";
import type { TextProps, TooltipBubbleProps } from "./tooltip-bubble.tsx";
import { type TargetEvents, useFocusable, useTooltip } from "./use-tooltip.ts";

type ChildProps = Partial<TargetEvents> & {
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
  const merged = useMergedRef(target, ref, children.props.ref);
  const { present, shown, hide, onTarget, onBubble } = useTooltip(disabled, opened);
  const onFocus = !disabled && opened === undefined;
  useFocusable(target, onFocus);
  const isRefused = onFocus && isDisabledControl(children.props) && children.props["aria-label"] !== label;
  return (
    <>
      {cloneElement(children, {
        ...others,
        ...withOwn(onTarget, others, children.props),
        ...(isRefused ? refused : {}),
        ...(onFocus ? marked : {}),
        ref: merged,
      })}
      {present ? (
        <Bubble
          {...{ label, position, color, multiline, maw }}
          opened={shown}
          target={target}
          onEscape={opened === undefined ? hide : undefined}
          {...onBubble}
        />
      ) : null}
    </>
  );
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

/** Calls the handlers of the target, too. */
function withOwn(events: TargetEvents, ...given: Partial<TargetEvents>[]): TargetEvents {
  const names = Object.keys(events) as (keyof TargetEvents)[];
  const handlers = names.map((name) => {
    const all = [...given, events].map((one) => one[name] as ((event: unknown) => void) | undefined);
    return [name, (event: unknown) => all.forEach((handle) => handle?.(event))] as const;
  });
  return Object.fromEntries(handlers) as TargetEvents;
}

function Bubble(props: TooltipBubbleProps) {
  const { TooltipBubble } = floating();
  return <TooltipBubble {...props} />;
}

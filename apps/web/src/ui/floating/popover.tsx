import type { PopoverDropdownProps, PopoverProps } from "@mantine/core";
import { cloneElement, type ReactElement, type ReactNode } from "react";
import {
  after,
  type ButtonProps,
  LateFloating,
  lateTarget,
  usePlace,
  useSameButton,
} from "./late-floating.tsx";
import { floating } from "./load-floating.ts";

/** Mantine's popover, loaded when it is first opened. */
export function Popover({ opened, onChange, children, ...props }: PopoverProps) {
  return (
    <LateFloating
      kind="dialog"
      {...(opened === undefined ? {} : { opened })}
      {...(onChange ? { onChange } : {})}
      whole={(state) => {
        const { Popover: Whole } = floating();
        return (
          <Whole {...props} {...state}>
            {children}
          </Whole>
        );
      }}
    >
      {children}
    </LateFloating>
  );
}

function PresentTarget({ children }: { children: ReactElement<ButtonProps> }) {
  const { onToggle } = usePlace();
  const button = useSameButton(children);
  const { Popover: Whole } = floating();
  // A controlled popover does not listen to its target.
  const { onClick } = children.props;
  return (
    <Whole.Target>
      {onToggle ? cloneElement(button, { onClick: after(onClick, onToggle) }) : button}
    </Whole.Target>
  );
}

function Dropdown(props: PopoverDropdownProps) {
  if (!usePlace().present) return null;
  const { Popover: Whole } = floating();
  return <Whole.Dropdown {...props} />;
}

/** Content that scrolls. */
function Scroll({ mah, children }: { mah: number; children: ReactNode }) {
  const { ScrollArea } = floating();
  return (
    <ScrollArea.Autosize mah={mah} type="auto" scrollbarSize={8}>
      {children}
    </ScrollArea.Autosize>
  );
}

Popover.Target = lateTarget(PresentTarget);
Popover.Dropdown = Dropdown;
Popover.Scroll = Scroll;

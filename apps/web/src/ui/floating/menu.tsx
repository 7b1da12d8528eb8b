import type { Menu as WholeMenu, MenuProps } from "@mantine/core";
import type { ReactElement, ReactNode } from "react";
import { type ButtonProps, LateFloating, lateTarget, usePlace, useSameButton } from "./late-floating.tsx";
import { floating } from "./load-floating.ts";

type Parts = typeof WholeMenu;

/** Mantine's menu, loaded when it is first opened. */
export function Menu({ opened, onChange, children, ...props }: MenuProps) {
  return (
    <LateFloating
      kind="menu"
      onFirstOpen={props.onOpen}
      {...(opened === undefined ? {} : { opened })}
      {...(onChange ? { onChange } : {})}
      whole={(state) => {
        const { Menu: Whole } = floating();
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
  const button = useSameButton(children);
  const { Menu: Whole } = floating();
  return <Whole.Target>{button}</Whole.Target>;
}

function Dropdown({ children }: { children: ReactNode }) {
  if (!usePlace().present) return null;
  const { Menu: Whole } = floating();
  return <Whole.Dropdown>{children}</Whole.Dropdown>;
}

// The parts below are rendered inside of a loaded menu only.
Menu.Target = lateTarget(PresentTarget);
Menu.Dropdown = Dropdown;
Menu.Item = ((props: object) => {
  const { Item } = floating().Menu;
  return <Item {...props} />;
}) as unknown as Parts["Item"];
Menu.Label = ((props: object) => {
  const { Label } = floating().Menu;
  return <Label {...props} />;
}) as unknown as Parts["Label"];
Menu.Divider = () => {
  const { Divider } = floating().Menu;
  return <Divider />;
};

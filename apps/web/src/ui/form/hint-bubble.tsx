import { Tooltip } from "@mantine/core";

/** Comes when it is wanted, so it starts open where the pointer or the focus still is. */
type BubbleProps = { label: string; position: "top" | "right"; target: HTMLElement };

export function HintBubble({ label, position, target }: BubbleProps) {
  return (
    <Tooltip
      label={label}
      position={position}
      target={target}
      defaultOpened={target.matches(":hover, :focus-visible")}
    />
  );
}

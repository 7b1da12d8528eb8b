import { Tooltip } from "@mantine/core";

/** Loaded on demand, so it starts open when its target is still hovered or focused. */
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

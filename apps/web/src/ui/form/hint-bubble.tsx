import { Tooltip } from "@mantine/core";

/** Comes when it is wanted, so it starts open where the pointer or the focus still is. */
export function HintBubble({ label, target }: { label: string; target: HTMLElement }) {
  return <Tooltip label={label} target={target} defaultOpened={target.matches(":hover, :focus-visible")} />;
}

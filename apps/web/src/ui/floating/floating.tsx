/** The parts of the library that place something beside an element. Loaded when a page rests, see `load-floating`. */
export { Autocomplete, Menu, Popover, ScrollArea, Select } from "@mantine/core";
export { TooltipBubble } from "./tooltip-bubble.tsx";

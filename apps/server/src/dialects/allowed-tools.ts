import type { Tool } from "./ir.ts";

/** Of the tools that are offered, those that the caller lets the model call now: other wires have no list for that. */
export function onlyAllowed(
  tools: Tool[] | undefined,
  names: ReadonlyArray<string | undefined>,
): Tool[] | undefined {
  if (tools === undefined || names.length === 0) return tools;
  return tools.filter((tool) => names.includes(tool.name));
}

import type { Tool } from "#dialects/ir.ts";

/**
 * Returns the offered tools that the caller allows the model to call now; other formats have no such list.
 */
export function filterAllowedTools(
  tools: Tool[] | undefined,
  names: ReadonlyArray<string | undefined>,
): Tool[] | undefined {
  if (tools === undefined || names.length === 0) return tools;
  return tools.filter((tool) => names.includes(tool.name));
}

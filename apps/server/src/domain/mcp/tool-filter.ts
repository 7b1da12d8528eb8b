import type { McpTokenLimits } from "@gateway/shared/channels/mcp";

/** Names of tools; `*` stands for any characters. An empty `allow` allows all. */
export type ToolFilter = Readonly<Pick<McpTokenLimits, "allow" | "deny">>;

/** Whether every filter lets the tool through. @param name `<server>__<tool>` */
export function isToolAllowed(name: string, filters: readonly ToolFilter[]): boolean {
  return filters.every(({ allow, deny }) => {
    if (deny.some((pattern) => matches(name, pattern))) return false;
    return allow.length === 0 || allow.some((pattern) => matches(name, pattern));
  });
}

/** Compares without a regular expression, whose time could grow with the number of `*`. */
function matches(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const last = rest.pop() ?? "";
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length)
    return false;
  let at = first.length;
  const end = name.length - last.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

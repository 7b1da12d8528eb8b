/** What a conversation is made of, whatever dialect it was held in. Pure. */

export type Part =
  | { type: "text" | "reasoning" | "error"; text: string }
  /** A data URL, or the address of a picture that is not loaded. */
  | { type: "image"; url: string }
  | { type: "file"; name: string }
  | { type: "tool-call"; name: string; input: string }
  | { type: "tool-result"; name: string; text: string };

export type Role = "system" | "user" | "assistant" | "tool";
export type Turn = { role: Role; parts: Part[] };

export type Wire = Record<string, unknown>;

/** Whatever is no object has no fields. */
export function record(value: unknown): Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Text stays as it is; everything else as JSON. */
export function printed(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** JSON with its lines, where it is JSON. */
export function pretty(json: string): string {
  const value = parsed(json);
  return value === undefined || typeof value === "string" ? json : JSON.stringify(value, undefined, 2);
}

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

export function roleOf(value: unknown): Role {
  return roles[text(value)] ?? "user";
}

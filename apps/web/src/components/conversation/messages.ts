/** The parts of a conversation, independent of its dialect. Pure. */
import { lookupTable } from "@gateway/shared/lookup-table";

export type MessagePart =
  | { type: "text" | "reasoning" | "error"; text: string }
  /** A data URL, or the address of an image that is not loaded. */
  | { type: "image"; url: string }
  | { type: "file"; name: string }
  | { type: "tool-call"; name: string; input: string }
  | { type: "tool-result"; name: string; text: string };

export type Role = "system" | "user" | "assistant" | "tool";
export type LoggedMessage = { role: Role; parts: MessagePart[] };

export type Wire = Record<string, unknown>;

/** Returns {} for a value that is not an object. */
export function asRecord(value: unknown): Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

export function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns text unchanged; other values as JSON. */
export function stringify(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value, undefined, 2);
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Formats text that is JSON. */
export function indentJson(json: string): string {
  const value = parseJson(json);
  return value === undefined || typeof value === "string" ? json : JSON.stringify(value, undefined, 2);
}

const roles = lookupTable<Role>({
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
});

export function roleOf(value: unknown): Role {
  return roles[asText(value)] ?? "user";
}

import { lookupTable } from "@gateway/shared/lookup-table";
import type { Json } from "./json.ts";

/**
 * Where a fault occurs: before anything is sent, after the headers, or after a number of pieces of the
 * answer. A piece is one streamed delta; a response in one body breaks in its middle.
 */
export type Point = "start" | "headers" | number;

/** Requested behaviour of the upstream. An absent field means the default. */
export interface Behaviour {
  /** Milliseconds before the headers. */
  delay?: number;
  /** Milliseconds between two streamed pieces. */
  chunkDelay?: number;
  /** HTTP status of a refusal. */
  status?: number;
  /** Seconds in the `Retry-After` header of a refusal. */
  retryAfter?: number;
  /** Refuses like a provider whose account has no credit. */
  noCredit?: boolean;
  cut?: Point;
  hang?: Point;
  errorMidStream?: number;
  garbage?: boolean;
  empty?: boolean;
  noUsage?: boolean;
  /** Tokens reported as read from, or written to, the prompt cache. Both are part of the input. */
  cached?: number;
  cacheWrite?: number;
  /** Remembers prompts per key and model, and reports what was repeated as cached. */
  prefixCache?: boolean;
  /** The same, but as Anthropic does it: only at marks, and for five minutes. */
  markedCache?: boolean;
  /** Tokens reported instead of the counted ones. Any number is allowed, even absurd ones. */
  input?: number;
  output?: number;
  /** Tokens of reasoning; 0 disables it. */
  reasoning?: number;
  /** Tokens of the text. */
  length?: number;
  finish?: "stop" | "length" | "content-filter";
  /** The exact answer. */
  say?: string;
}

const LONGEST_WAIT_MS = 600_000;
const LONGEST_ANSWER = 200_000;
const DEFAULT_PIECES = 2;

function number(value: string, most = Number.MAX_SAFE_INTEGER): number | undefined {
  const parsed = Number(value);
  return value === "" || !Number.isFinite(parsed) ? undefined : Math.min(parsed, most);
}

function count(value: string, most: number): number | undefined {
  const parsed = number(value, most);
  return parsed === undefined ? undefined : Math.max(0, Math.trunc(parsed));
}

function point(value: string): Point {
  if (value === "headers") return "headers";
  const pieces = /^(?:after:)?(\d+)$/.exec(value)?.[1];
  return pieces === undefined ? "start" : Number(pieces);
}

function finish(value: string): Behaviour["finish"] {
  if (value === "length" || value === "stop") return value;
  return value.startsWith("content") ? "content-filter" : undefined;
}

const readers = lookupTable<(value: string) => Behaviour>({
  delay: (value) => ({ delay: count(value, LONGEST_WAIT_MS) }),
  "chunk-delay": (value) => ({ chunkDelay: count(value, LONGEST_WAIT_MS) }),
  status: (value) => ({ status: refusal(value) }),
  "retry-after": (value) => ({ retryAfter: number(value) }),
  "no-credit": () => ({ noCredit: true }),
  cut: (value) => ({ cut: point(value) }),
  hang: (value) => ({ hang: point(value) }),
  "error-mid-stream": (value) => ({ errorMidStream: count(value, LONGEST_ANSWER) ?? DEFAULT_PIECES }),
  garbage: () => ({ garbage: true }),
  empty: () => ({ empty: true }),
  "no-usage": () => ({ noUsage: true }),
  cached: (value) => ({ cached: number(value) }),
  "prefix-cache": () => ({ prefixCache: true }),
  "cache-write": (value) => ({ cacheWrite: number(value) }),
  input: (value) => ({ input: number(value) }),
  output: (value) => ({ output: number(value) }),
  reasoning: (value) => ({ reasoning: count(value, LONGEST_ANSWER) }),
  length: (value) => ({ length: count(value, LONGEST_ANSWER) }),
  finish: (value) => ({ finish: finish(value) }),
  say: (value) => ({ say: value }),
});

function refusal(value: string): number | undefined {
  const status = count(value, 599);
  return status !== undefined && status >= 400 ? status : undefined;
}

function read(name: string, value: string): Behaviour {
  const behaviour = Object.hasOwn(readers, name) ? readers[name]?.(value) : undefined;
  return withoutUndefined(behaviour ?? {});
}

function withoutUndefined(behaviour: Behaviour): Behaviour {
  return Object.fromEntries(Object.entries(behaviour as Json).filter(([, value]) => value !== undefined));
}

const inText = /\[\[([^[\]=]*)(?:=([^[\]]*))?\]\]/g;

/** Parses `[[delay=500]] [[no-usage]]` anywhere in the user's last message. */
export function switchesInText(text: string): Behaviour {
  if (!text.includes("[[")) return {};
  const all = [...text.matchAll(inText)].map((match) => {
    const [, name = "", value = ""] = match;
    return read(name.trim().toLowerCase(), value.trim());
  });
  return Object.assign({}, ...all) as Behaviour;
}

/** Returns the text without its switches. */
export function withoutSwitches(text: string): string {
  return text.includes("[[") ? text.replace(inText, "").replace(/ {2,}/g, " ").trim() : text.trim();
}

/** Parses `demo-chat@delay=500,no-usage`. */
export function switchesInModel(model: string): Behaviour {
  const at = model.indexOf("@");
  if (at === -1) return {};
  const all = model
    .slice(at + 1)
    .split(",")
    .map((one) => {
      const [name = "", ...value] = one.split("=");
      return read(name.trim().toLowerCase(), value.join("="));
    });
  return Object.assign({}, ...all) as Behaviour;
}

/**
 * Parses a channel's key: `demo-fail-429`, `demo-slow-300`, `demo-cut`, `demo-hang`, `demo-no-credit`,
 * `demo-cache-a`, `demo-marks-a`.
 */
export function switchesInKey(key: string): Behaviour {
  if (!key.startsWith("demo-")) return {};
  const status = /^demo-fail-(\d{3})$/.exec(key)?.[1];
  if (status !== undefined) return withoutUndefined({ status: refusal(status) });
  const wait = /^demo-slow-(\d+)$/.exec(key)?.[1];
  if (wait !== undefined) return read("delay", wait);
  const pieces = /^demo-cut(?:-(\d+))?$/.exec(key);
  if (pieces !== null) return { cut: pieces[1] === undefined ? "headers" : Number(pieces[1]) };
  if (key === "demo-hang") return { hang: "start" };
  if (/^demo-cache(?:-|$)/.test(key)) return { prefixCache: true };
  if (/^demo-marks(?:-|$)/.test(key)) return { markedCache: true };
  return key === "demo-no-credit" ? { noCredit: true } : {};
}

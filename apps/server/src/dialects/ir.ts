/**
 * The one internal representation of a chat call. Wire formats are decoded to it and encoded from it; it knows
 * no provider, no HTTP and no wire. A word is added here only when three dialects have it; until then a field
 * travels untouched in `extra`, which reaches only an upstream that speaks the same dialect.
 */

export type DialectId = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** Fields of one dialect that the IR has no word for. Another dialect drops them and says so. */
export interface Extra {
  dialect: DialectId;
  fields: Record<string, unknown>;
}

export interface CacheControl {
  ttl?: "5m" | "1h";
}

export type MediaSource =
  | { type: "data"; mediaType: string; data: string }
  | { type: "url"; url: string; mediaType?: string }
  | { type: "file"; id: string; mediaType?: string };

export interface Citation {
  url?: string;
  title?: string;
  citedText?: string;
  /** Character offsets in the text part that the citation belongs to. */
  start?: number;
  end?: number;
  raw?: Extra;
}

export type Part =
  | { type: "text"; text: string; citations?: Citation[]; cache?: CacheControl }
  | { type: "image"; source: MediaSource; detail?: string; cache?: CacheControl }
  | { type: "audio"; source: MediaSource; format?: string; transcript?: string; id?: string }
  | { type: "file"; source: MediaSource; filename?: string; cache?: CacheControl }
  | { type: "refusal"; text: string }
  /** `signature` proves the text to its provider; `encrypted` replaces it. Both must survive the round trip. */
  | { type: "reasoning"; text: string; signature?: string; encrypted?: string; id?: string }
  /** `input` is JSON as text, exactly as the model wrote it. */
  | { type: "tool-call"; id: string; name: string; input: string; signature?: string; cache?: CacheControl }
  | {
      type: "tool-result";
      callId: string;
      name?: string;
      parts: Part[];
      isError?: boolean;
      cache?: CacheControl;
    }
  /** A part that only its own dialect can say (server tools, computer use …). `text` is what others can be told of it. */
  | { type: "foreign"; extra: Extra; text?: string };

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

export interface Message {
  role: Role;
  parts: Part[];
  name?: string;
}

export interface Tool {
  name: string;
  description?: string;
  /** JSON Schema of the input; absent means "any object". */
  schema?: Record<string, unknown>;
  strict?: boolean;
  cache?: CacheControl;
  /** The own form of a tool whose input is plain text; `schema` then wraps that text in one string, `input`. */
  freeform?: Extra;
  /** Where its own dialect groups tools: the group and its own name there. `name` is then both in one. */
  grouped?: Extra;
}

/** A tool the provider runs itself. `kind` is unified where three dialects have it, else the dialect's own name. */
export interface ServerTool {
  kind: "web-search" | "code-execution" | "other";
  extra: Extra;
}

export type ToolChoice =
  | { type: "auto" }
  | { type: "none" }
  | { type: "required" }
  | { type: "tool"; name: string };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json" }
  | {
      type: "json-schema";
      name?: string;
      schema: Record<string, unknown>;
      strict?: boolean;
      description?: string;
    };

export interface Reasoning {
  effort?: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
  budgetTokens?: number;
  /** The model decides itself how long to think. */
  adaptive?: boolean;
  summary?: "auto" | "concise" | "detailed";
}

export interface ChatRequest {
  model: string;
  stream: boolean;
  messages: Message[];
  tools?: Tool[];
  serverTools?: ServerTool[];
  toolChoice?: ToolChoice;
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  stop?: string[];
  seed?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  logprobs?: boolean;
  topLogprobs?: number;
  /** How many answers; 1 when absent. */
  n?: number;
  responseFormat?: ResponseFormat;
  reasoning?: Reasoning;
  serviceTier?: string;
  user?: string;
  /** The client asked for a usage chunk (chat `stream_options.include_usage`); always true for the others. */
  includeUsage?: boolean;
  /** The client wants its stream as one JSON array: frames of the same dialect must be encoded anew, not passed. */
  jsonArrayStream?: boolean;
  /** What answers on the client's own wire repeat of a request, or take their form from. Never goes to a provider. */
  repeat?: Extra;
  extra?: Extra;
}

export type FinishReason =
  | "stop"
  | "length"
  | "tool-calls"
  | "content-filter"
  | "refusal"
  | "pause"
  | "error"
  | "other";

/**
 * Tokens of one call. `input` counts everything that was read, cached tokens included; `output` everything that
 * was written, reasoning included. The other kinds are shares of those two. Absent means "the provider did not say".
 */
export interface Usage {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite5m?: number;
  cacheWrite1h?: number;
  reasoning?: number;
  audioInput?: number;
  audioOutput?: number;
  imageInput?: number;
  imageOutput?: number;
  /** Calls of tools that the provider ran and bills by call, by unified name. */
  toolCalls?: Record<string, number>;
  /** Which of the two totals the provider did not report as a number of tokens; they are 0 here. */
  missing?: readonly ("input" | "output")[];
  /** The service tier it was done in, where the provider names one: it may have a price of its own. */
  tier?: string;
  /** The provider's own object, untouched. */
  raw?: unknown;
}

export interface Choice {
  index: number;
  parts: Part[];
  finish: FinishReason;
  finishRaw?: string;
  logprobs?: unknown;
}

export interface ChatResponse {
  id: string;
  model: string;
  /** Unix seconds. */
  created?: number;
  choices: Choice[];
  usage?: Usage;
  serviceTier?: string;
  extra?: Extra;
}

/**
 * A streamed answer, in order. `part` numbers the parts of one choice from 0; parts of one choice never interleave
 * except tool calls, which may stream side by side. A decoder yields exactly one `start` first and exactly one
 * `finish` or `error` last.
 */
export type ChatEvent =
  /** `usage` is what the provider had counted before the first word; `finish` has the last word. */
  | { type: "start"; id: string; model: string; created?: number; usage?: Usage }
  | { type: "text"; choice: number; part: number; text: string; logprobs?: unknown }
  | { type: "refusal"; choice: number; part: number; text: string }
  | { type: "reasoning"; choice: number; part: number; text: string; id?: string }
  /** Completes the reasoning part with what proves it. */
  | {
      type: "reasoning-proof";
      choice: number;
      part: number;
      signature?: string;
      encrypted?: string;
      id?: string;
    }
  | { type: "tool-call"; choice: number; part: number; id: string; name: string; signature?: string }
  | { type: "tool-input"; choice: number; part: number; text: string }
  | { type: "citation"; choice: number; part: number; citation: Citation }
  | { type: "media"; choice: number; part: number; media: Part }
  | { type: "foreign"; choice: number; part: number; extra: Extra }
  /** One choice is done. */
  | { type: "stop"; choice: number; reason: FinishReason; raw?: string }
  /** The whole answer is done; usage is absent when the provider was silent. */
  | { type: "finish"; usage?: Usage; serviceTier?: string }
  | { type: "error"; error: UpstreamError };

/** What went wrong at the provider, as data. Retry and health decide on `kind`, never on a provider's prose. */
export interface UpstreamError {
  kind:
    | "bad-request"
    | "auth"
    | "quota"
    | "not-found"
    | "rate-limited"
    | "overloaded"
    | "server"
    | "timeout"
    | "network";
  /** The provider's sentence; shown to the caller only for `bad-request`. */
  message: string;
  /** The provider's status, or 0 when there was no answer. */
  status: number;
  /** Seconds, from `Retry-After` or the body. */
  retryAfter?: number;
  /** The answer was ended at a limit of ours. */
  tooLong?: boolean;
  /** The error object as it came, for a client of the same dialect whose own mistake it is. */
  original?: Extra;
  /** The provider's own code and parameter, for the log and for the caller's own mistakes. */
  code?: string;
  param?: string;
}

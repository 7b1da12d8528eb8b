/**
 * The single internal representation (IR) of a chat call. Wire formats are decoded to it and encoded from it.
 * It depends on no provider, HTTP or wire format. A field is added only when three dialects have it. Until
 * then it travels unchanged in `extra`, which is sent only to an upstream of the same dialect.
 */
import type { ExactNumber } from "./json/parse-json.ts";

export type DialectId = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

/** Dialects of clients: those of providers, and Google's Interactions, in which no provider is called. */
export type ClientDialectId = DialectId | "interactions";

/** Fields of one dialect that the IR does not have. Another dialect drops and reports them. */
export interface Extra {
  dialect: ClientDialectId;
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

type PartContent =
  | { type: "text"; text: string; citations?: Citation[]; cache?: CacheControl }
  | { type: "image"; source: MediaSource; detail?: string; cache?: CacheControl }
  | { type: "audio"; source: MediaSource; format?: string; transcript?: string; id?: string }
  | { type: "file"; source: MediaSource; filename?: string; cache?: CacheControl }
  | { type: "refusal"; text: string }
  /**
   * `signature` proves the text to its provider; `encrypted` replaces it. Both must survive the round trip.
   */
  | {
      type: "reasoning";
      text: string;
      signature?: string;
      encrypted?: string;
      id?: string;
      /** Family of providers that issued the proof (`proof.ts`); absent for the dialect's own provider. */
      origin?: string;
    }
  /** `input` is JSON text, exactly as the model wrote it. */
  | {
      type: "tool-call";
      id: string;
      name: string;
      input: string;
      signature?: string;
      origin?: string;
      cache?: CacheControl;
    }
  | {
      type: "tool-result";
      callId: string;
      name?: string;
      parts: Part[];
      isError?: boolean;
      cache?: CacheControl;
    }
  /**
   * A part that only its own dialect can express (server tools, computer use, etc.).
   * `fallback` is what other dialects receive instead.
   */
  | { type: "foreign"; extra: Extra; fallback?: Part[] };

/** `extra` contains the fields of the part that only its own dialect has. */
export type Part = PartContent & { extra?: Extra };

export type Role = "system" | "developer" | "user" | "assistant" | "tool";

export interface Message {
  role: Role;
  parts: Part[];
  name?: string;
  extra?: Extra;
}

export interface Tool {
  name: string;
  description?: string;
  /** JSON Schema of the input; absent means "any object". */
  schema?: Record<string, unknown>;
  strict?: boolean;
  cache?: CacheControl;
  /**
   * The original form of a tool whose input is plain text.
   * `schema` then wraps that text in one string, `input`.
   */
  freeform?: Extra;
  /** The tool is offered within the conversation. Its own dialect offers it there, others with the rest. */
  inConversation?: boolean;
  /** Group and name of the tool, for dialects that group tools. `name` then combines both. */
  grouped?: Extra;
  extra?: Extra;
}

/**
 * A tool that the provider runs. `kind` is unified where three dialects have it;
 * otherwise the dialect's own name applies.
 */
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
  /** The model decides how long to think. */
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
  /** Providers accept up to 64 bits. */
  seed?: number | ExactNumber;
  presencePenalty?: number;
  frequencyPenalty?: number;
  logprobs?: boolean;
  topLogprobs?: number;
  /** Number of responses to generate; 1 when absent. */
  n?: number;
  responseFormat?: ResponseFormat;
  reasoning?: Reasoning;
  serviceTier?: string;
  user?: string;
  /**
   * The client requested a usage chunk (chat `stream_options.include_usage`);
   * always true for the other dialects.
   */
  includeUsage?: boolean;
  /**
   * The client requested its stream as one JSON array. Frames of the same dialect must be encoded anew then.
   */
  jsonArrayStream?: boolean;
  /**
   * Request fields that responses repeat in the client's own dialect, or that decide their form.
   * Never sent to a provider.
   */
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
 * Tokens of one call. `input` counts all tokens read, cached ones included. `output` counts all tokens
 * written, reasoning included. The other counts are parts of those two. Absent means that the provider did
 * not report it.
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
  /** Number of calls of provider-run tools that are billed per call, by unified name. */
  toolCalls?: Record<string, number>;
  /** The totals that the provider did not report as a number of tokens; they are 0 here. */
  missing?: readonly ("input" | "output")[];
  /** Service tier of the response, where the provider names one; a tier may have its own price. */
  tier?: string;
  /** The provider's own usage object, unchanged. */
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
 * Events of a streamed response, in order. `part` numbers the parts of one choice from 0. Parts of one choice
 * never interleave, except tool calls, which may stream in parallel. A decoder yields exactly one `start`
 * first and exactly one `finish` or `error` last.
 */
export type ChatEvent =
  /** `usage` contains the counts before the first token; the counts of `finish` take precedence. */
  | { type: "start"; id: string; model: string; created?: number; usage?: Usage }
  | { type: "text"; choice: number; part: number; text: string; logprobs?: unknown }
  | { type: "refusal"; choice: number; part: number; text: string }
  | { type: "reasoning"; choice: number; part: number; text: string; id?: string }
  /** Completes the reasoning part with its proof. */
  | {
      type: "reasoning-proof";
      choice: number;
      part: number;
      signature?: string;
      encrypted?: string;
      id?: string;
      origin?: string;
    }
  | {
      type: "tool-call";
      choice: number;
      part: number;
      id: string;
      name: string;
      signature?: string;
      origin?: string;
    }
  | { type: "tool-input"; choice: number; part: number; text: string }
  | { type: "citation"; choice: number; part: number; citation: Citation }
  | { type: "media"; choice: number; part: number; media: Part }
  | { type: "foreign"; choice: number; part: number; extra: Extra }
  /** One choice is complete. */
  | { type: "stop"; choice: number; reason: FinishReason; raw?: string }
  /** The response is complete. `usage` is absent when the provider reported none. */
  | { type: "finish"; usage?: Usage; serviceTier?: string }
  | { type: "error"; error: UpstreamError };

/** A provider error as data. Retries and health checks use `kind`, never the provider's message. */
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
    | "network"
    /** The gateway could not read its key, so nothing was sent. */
    | "key-unavailable";
  /** The provider's message; shown to the caller only for `bad-request`. */
  message: string;
  /** The provider's HTTP status, or 0 when there was no response. */
  status: number;
  /** Delay in seconds, from `Retry-After` or the body. */
  retryAfter?: number;
  /** The response was cut off at one of our limits. */
  tooLong?: boolean;
  /** The original error object, for a client of the same dialect that caused the error itself. */
  original?: Extra;
  /** The provider's own code and parameter, for the log and for errors that the caller caused. */
  code?: string;
  param?: string;
}

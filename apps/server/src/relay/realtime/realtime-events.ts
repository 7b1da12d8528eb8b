import { z } from "zod";
import type { Usage } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import { AUDIO_INPUT_TOKENS_PER_SECOND } from "#relay/media/plain-usage.ts";

const count = z.int().nonnegative().nullish();
const Details = z.object({ text_tokens: count, audio_tokens: count, image_tokens: count });
const Reported = z.object({
  input_tokens: z.int().nonnegative(),
  output_tokens: z.int().nonnegative(),
  input_token_details: Details.extend({
    cached_tokens: count,
    cached_tokens_details: Details.nullish(),
  }).nullish(),
  output_token_details: Details.nullish(),
});
const Duration = z.object({ type: z.literal("duration"), seconds: z.number().nonnegative() });

/** Audio output tokens per second, by the provider of these events. */
export const AUDIO_OUTPUT_TOKENS_PER_SECOND = 20;

export function realtimeUsage(reported: unknown): Usage | undefined {
  const lasted = Duration.safeParse(reported);
  if (lasted.success) {
    const audioInput = Math.ceil(lasted.data.seconds * AUDIO_INPUT_TOKENS_PER_SECOND);
    return { input: audioInput, output: 0, audioInput: audioInput, raw: reported };
  }
  const parsed = Reported.safeParse(reported);
  if (!parsed.success) return undefined;
  const { input_tokens: input, output_tokens: output } = parsed.data;
  const read = parsed.data.input_token_details;
  const written = parsed.data.output_token_details;
  const cached = read?.cached_tokens_details;
  return {
    input,
    output,
    ...(read?.cached_tokens ? { cacheRead: read.cached_tokens } : {}),
    // Cached tokens of any kind are billed as cached, so only the rest counts here.
    ...share("audioInput", read?.audio_tokens, cached?.audio_tokens),
    ...share("imageInput", read?.image_tokens, cached?.image_tokens),
    ...share("audioOutput", written?.audio_tokens, 0),
    raw: reported,
  };
}

function share(
  name: "audioInput" | "imageInput" | "audioOutput",
  tokens: number | null | undefined,
  cached: number | null | undefined,
): Partial<Usage> {
  const rest = (tokens ?? 0) - (cached ?? 0);
  return rest > 0 ? { [name]: rest } : {};
}

/** Facts that a session reports: the output limit and the audio formats. */
export interface SessionFacts {
  maxOutput: number | undefined;
  inputBytesPerSecond: number;
  outputBytesPerSecond: number;
  transcriber: string | undefined;
}

export type ServerEvent =
  | { kind: "session"; facts: SessionFacts }
  | { kind: "begun"; id: string }
  | { kind: "text"; id: string; text: string }
  | { kind: "sound"; id: string; bytes: number }
  | { kind: "done"; id: string; usage: Usage | undefined }
  /** A recording is complete. Its transcription begins if the session has a transcriber. */
  | { kind: "recorded"; item: string }
  | { kind: "transcribing"; item: string; text: string }
  | { kind: "transcribed"; item: string; usage: Usage | undefined; text: string }
  | { kind: "untranscribed"; item: string }
  | { kind: "error"; error: unknown }
  | { kind: "other" };

type Json = Record<string, unknown>;

const other = { kind: "other" } as const;
const textDeltas = new Set([
  "response.output_text.delta",
  "response.text.delta",
  "response.output_audio_transcript.delta",
  "response.audio_transcript.delta",
  "response.function_call_arguments.delta",
  "response.mcp_call_arguments.delta",
]);

export function readServerEvent(text: string): ServerEvent {
  const event = objectIn(text);
  const type = textAt(event, "type");
  const id = textAt(event, "response_id");
  switch (type) {
    case "session.created":
    case "session.updated":
    case "transcription_session.created":
    case "transcription_session.updated":
      return { kind: "session", facts: factsOf(objectAt(event, "session")) };
    case "response.created":
      return { kind: "begun", id: textAt(objectAt(event, "response"), "id") };
    case "response.output_audio.delta":
    case "response.audio.delta":
      return { kind: "sound", id, bytes: bytesOf(textAt(event, "delta")) };
    case "response.done": {
      const response = objectAt(event, "response");
      return { kind: "done", id: textAt(response, "id"), usage: realtimeUsage(response["usage"]) };
    }
    case "input_audio_buffer.committed":
      return { kind: "recorded", item: textAt(event, "item_id") };
    case "conversation.item.input_audio_transcription.delta":
      return { kind: "transcribing", item: textAt(event, "item_id"), text: textAt(event, "delta") };
    case "conversation.item.input_audio_transcription.failed":
      return { kind: "untranscribed", item: textAt(event, "item_id") };
    case "conversation.item.input_audio_transcription.completed":
      return {
        kind: "transcribed",
        item: textAt(event, "item_id"),
        usage: realtimeUsage(event["usage"]),
        text: textAt(event, "transcript"),
      };
    case "error":
      return { kind: "error", error: event["error"] };
    default:
      return textDeltas.has(type) ? { kind: "text", id, text: textAt(event, "delta") } : other;
  }
}

/** Input of a client, as far as the model reads it. */
export interface InputPart {
  text: string;
  /** Bytes of audio. */
  bytes: number;
  images: number;
}

export type ClientEvent =
  | { kind: "ask"; event: Json; limits: Limits; input: InputPart }
  | {
      kind: "configure";
      event: Json;
      session: Json;
      limits: Limits;
      input: InputPart;
      /** Transcription models that the event names. */
      transcribers: string[];
    }
  | { kind: "heard"; input: InputPart }
  | { kind: "other" };

/** Output limits of a client event; undefined if not set. */
export interface Limits {
  output: number | undefined;
}

export function readClientEvent(event: Json): ClientEvent {
  switch (textAt(event, "type")) {
    case "response.create": {
      const response = objectAt(event, "response");
      return { kind: "ask", event, limits: limitsOf(response), input: inputIn(response) };
    }
    case "session.update":
    case "transcription_session.update": {
      const session = objectAt(event, "session");
      const [limits, input, transcribers] = [limitsOf(session), inputIn(session), transcribersOf(session)];
      return { kind: "configure", event, session, limits, input, transcribers };
    }
    case "input_audio_buffer.append":
      return { kind: "heard", input: { text: "", bytes: bytesOf(textAt(event, "audio")), images: 0 } };
    case "conversation.item.create":
      return { kind: "heard", input: inputIn(event["item"]) };
    default:
      return other;
  }
}

function limitsOf(holder: Json): Limits {
  const output = ["max_output_tokens", "max_response_output_tokens"].map((name) => holder[name]);
  const numbers = output.filter((limit) => typeof limit === "number" && Number.isSafeInteger(limit));
  return { output: numbers.length > 0 ? Math.max(...numbers.map(Number)) : undefined };
}

/** Returns everything that a model may read: audio and images by size, the rest as text. */
function inputIn(value: unknown): InputPart {
  const found: InputPart = { text: "", bytes: 0, images: 0 };
  const text = JSON.stringify(value ?? "", (name, inner: unknown) => {
    if (typeof inner !== "string") return inner;
    if (name === "audio") found.bytes += bytesOf(inner);
    else if (name === "image_url") found.images += 1;
    else return inner;
    return undefined;
  });
  found.text = text ?? "";
  return found;
}

/** 16 bit at 24 kHz; telephone formats have 8 bit at 8 kHz. */
const PLAIN_SOUND = 48_000;
const TELEPHONE_SOUND = 8_000;

function factsOf(session: Json): SessionFacts {
  const audio = objectAt(session, "audio");
  const input = objectAt(audio, "input");
  const most = session["max_output_tokens"] ?? session["max_response_output_tokens"];
  return {
    maxOutput: typeof most === "number" && Number.isSafeInteger(most) && most > 0 ? most : undefined,
    inputBytesPerSecond: rateOf(input["format"] ?? session["input_audio_format"]),
    outputBytesPerSecond: rateOf(objectAt(audio, "output")["format"] ?? session["output_audio_format"]),
    transcriber: transcribersOf(session)[0],
  };
}

/** Returns the session's models for input transcription, in the newer and the older format. */
function transcribersOf(session: Json): string[] {
  const newer = objectAt(objectAt(objectAt(session, "audio"), "input"), "transcription");
  const older = objectAt(session, "input_audio_transcription");
  return [newer, older].map((named) => textAt(named, "model")).filter((model) => model !== "");
}

function rateOf(format: unknown): number {
  const name = typeof format === "string" ? format : JSON.stringify(format ?? "");
  return /g711|pcmu|pcma/.test(name) ? TELEPHONE_SOUND : PLAIN_SOUND;
}

/** Returns the bytes of base64 text. */
function bytesOf(sound: string): number {
  return Math.floor((sound.length * 3) / 4);
}

function objectIn(text: string): Json {
  return asObject(parseSmall(text));
}

function asObject(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function objectAt(holder: Json, name: string): Json {
  return asObject(holder[name]);
}

function textAt(holder: Json, name: string): string {
  const value = holder[name];
  return typeof value === "string" ? value : "";
}

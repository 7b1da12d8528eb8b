/**
 * Recorded or documented responses of providers, in `fixtures/<provider id>/`. Each folder's `proof.json`
 * contains the expected reading of each file.
 */
import { z } from "zod";

const Source = z.object({
  /** Source of the sample and the day it was read. */
  source: z.string().regex(/^https:\/\/\S+.*, read 20\d\d-\d\d-\d\d/),
  /** A call that was made, or an example of an API reference. */
  kind: z.enum(["recorded", "documented"]),
  /** Model of the call. Default: the provider's test model. */
  model: z.string().optional(),
  /** Default: the provider's first dialect for the model, or its own wire format. */
  dialect: z.enum(["openai-chat", "openai-responses", "anthropic", "gemini"]).optional(),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

const Failure = z.strictObject({
  kind: z.enum([
    "bad-request",
    "auth",
    "quota",
    "not-found",
    "rate-limited",
    "overloaded",
    "server",
    "timeout",
    "network",
  ]),
  status: z.number().optional(),
  code: z.string().optional(),
  /** Seconds. */
  retryAfter: z.number().optional(),
  message: z.string().optional(),
});

const Output = z.strictObject({
  text: z.string(),
  reasoning: z.string().optional(),
  calls: z.array(z.strictObject({ name: z.string(), input: z.unknown() })).optional(),
  /** The URLs that the text cites, in order. */
  cited: z.array(z.string()).optional(),
  /** Images and sounds, by type. */
  media: z.array(z.string()).optional(),
  finish: z.string(),
  /** All counts above zero; absent where the provider reports none. */
  usage: z.record(z.string(), z.unknown()).optional(),
});

const Proof = z.strictObject({
  /** Complete chat responses. */
  answers: z.record(z.string(), Source.extend({ reads: Output }).strict()).default({}),
  /** Server-sent events, or base64 of a stream with other framing (`.base64`). */
  streams: z
    .record(
      z.string(),
      Source.extend({ reads: Output.optional(), fails: Failure.optional() })
        .strict()
        .refine(({ reads, fails }) => (reads === undefined) !== (fails === undefined)),
    )
    .default({}),
  errors: z
    .record(
      z.string(),
      Source.extend({
        status: z.number(),
        headers: z.record(z.string(), z.string()).default({}),
        reads: Failure,
      }).strict(),
    )
    .default({}),
  /** Responses of other paths of ours that this provider's adapters convert to OpenAI's format. */
  adapted: z
    .record(
      z.string(),
      Source.extend({
        path: z.string(),
        reads: z.unknown().optional(),
        usage: z.record(z.string(), z.unknown()).optional(),
        fails: Failure.optional(),
      }).strict(),
    )
    .default({}),
  /**
   * Responses of other paths that pass unchanged, and their usage; absent where the provider reports none.
   */
  plain: z
    .record(z.string(), Source.extend({ usage: z.record(z.string(), z.unknown()).optional() }).strict())
    .default({}),
  /** Responses about asynchronous tasks: the first one, or a later one about the state. */
  tasks: z
    .record(
      z.string(),
      Source.extend({
        about: z.enum(["submission", "standing"]),
        reads: z.unknown().optional(),
        fails: Failure.optional(),
      }).strict(),
    )
    .default({}),
});

export type Proof = z.infer<typeof Proof>;
export type Expected = z.infer<typeof Output>;

const files = import.meta.glob("./fixtures/*/*", { query: "?raw", import: "default", eager: true });
const missing = import.meta.glob("./fixtures/unrecorded.json", {
  query: "?raw",
  import: "default",
  eager: true,
});

export function recordedProviders(): string[] {
  return [...new Set(Object.keys(files).map((path) => path.split("/")[2] ?? ""))];
}

/** Throws when there is no such file. */
export function recording(provider: string, file: string): string {
  const text = files[`./fixtures/${provider}/${file}`];
  if (text === undefined) throw new Error(`There is no recording ${provider}/${file}`);
  return text;
}

/** Throws when the file contains a field that a proof does not have. */
export function proofOf(provider: string): Proof {
  return Proof.parse(JSON.parse(recording(provider, "proof.json")));
}

export function recordedFiles(provider: string): string[] {
  const folder = `./fixtures/${provider}/`;
  return Object.keys(files).flatMap((path) =>
    path.startsWith(folder) && !path.endsWith("/proof.json") ? [path.slice(folder.length)] : [],
  );
}

const Missing = z.record(
  z.string(),
  z.partialRecord(z.enum(["answers", "streams", "errors"]), z.string().min(1)),
);

/** The missing samples by provider, with the reason. */
export const unrecorded = Missing.parse(JSON.parse(missing["./fixtures/unrecorded.json"] ?? ""));

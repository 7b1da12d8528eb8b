import { z } from "zod";

/** What providers answered or document: `fixtures/<provider id>/`, with what each file must be read as in its `proof.json`. */

const Source = z.object({
  /** Where the sample stands and the day it was read. */
  source: z.string().regex(/^https:\/\/\S+.*, read 20\d\d-\d\d-\d\d/),
  /** A call that was made, or the example of a reference. */
  kind: z.enum(["recorded", "documented"]),
  /** Of the call; the provider's test model unless given. */
  model: z.string().optional(),
  /** Unless given, the first that this provider speaks for the model, or its own wire. */
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
  /** The addresses that the text cites, in order. */
  cited: z.array(z.string()).optional(),
  /** Pictures and sounds, by type. */
  media: z.array(z.string()).optional(),
  finish: z.string(),
  /** All kinds that are more than none; absent where the provider is silent. */
  usage: z.record(z.string(), z.unknown()).optional(),
});

const Proof = z.strictObject({
  /** Whole answers of chat. */
  answers: z.record(z.string(), Source.extend({ reads: Output }).strict()).default({}),
  /** Server-sent events, or base64 of a stream that is framed otherwise (`.base64`). */
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
  /** Answers of other paths of ours that this provider's adapters turn into OpenAI's. */
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
  /** Answers of other paths that pass as they come, and what they count; absent where the provider is silent. */
  plain: z
    .record(z.string(), Source.extend({ usage: z.record(z.string(), z.unknown()).optional() }).strict())
    .default({}),
  /** Answers about work that is done later: the first, or a later one about how it stands. */
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

/** Throws when the file says something that no proof can. */
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

/** What no sample was found of, by provider, and why. */
export const unrecorded = Missing.parse(JSON.parse(missing["./fixtures/unrecorded.json"] ?? ""));

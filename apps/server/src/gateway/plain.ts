import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Usage } from "#dialects/ir.ts";
import { inForm } from "#dialects/vectors.ts";
import { estimateUsage, recordingSeconds, recordingTokens } from "#domain/billing/estimate.ts";
import { invalidRequest } from "#errors.ts";
import type { Endpoint } from "#providers/provider.ts";
import type { PlainCall } from "#relay/call.ts";
import { relayPlain } from "#relay/plain.ts";
import { admit } from "./admit.ts";
import { type Authenticated, authenticate } from "./authenticate.ts";
import { leavingSignal } from "./disconnect.ts";
import { wantsFresh } from "./fresh.ts";
import { BODY_LIMIT, isJsonBody } from "./json-body.ts";
import { type Form, readForm } from "./multipart.ts";
import { heartbeatMs, sendAnswer } from "./reply.ts";
import type { GatewayServices } from "./services.ts";

/** OpenAI's other endpoints: one wire for all vendors. What a call may omit is said here, with what is assumed. */
interface PlainDoor {
  path: string;
  /** Where else clients look for it. */
  alias?: string;
  needs: Endpoint;
  form?: boolean;
  /** The model when the caller names none. */
  model?: string;
  /** In place of a model: the address says what is wanted, and a vendor that does it has one such address. */
  tool?: { name: string; path: string };
  /** Tokens that one answer may have beyond what its request says. */
  output?: number;
  /** The answer as this caller wants it spelled. */
  spell?(answer: string, asked: Record<string, unknown>): string;
}

/** OpenAI wants its painters named since it retired the one that was meant without a name; this is whom it names instead. */
const PAINTER = "gpt-image-2.5-sunburst";

const doors: readonly PlainDoor[] = [
  { path: "/v1/completions", needs: "completions", output: 4_096 },
  {
    path: "/v1/embeddings",
    needs: "embeddings",
    spell: (answer, asked) => inForm(answer, asked["encoding_format"] === "base64" ? "base64" : "float"),
  },
  { path: "/v1/moderations", needs: "moderations", model: "omni-moderation-latest" },
  { path: "/v1/rerank", needs: "rerank" },
  {
    path: "/v1/images/generations",
    alias: "/recraftAI/v1/images/generations",
    needs: "images",
    model: PAINTER,
    output: 6_240,
  },
  { path: "/v1/images/edits", needs: "images", form: true, model: PAINTER, output: 6_240 },
  { path: "/v1/images/variations", needs: "images", form: true, output: 6_240 },
  { path: "/v1/audio/speech", needs: "audio" },
  { path: "/v1/audio/transcriptions", needs: "audio", form: true, output: 4_096 },
  { path: "/v1/audio/translations", needs: "audio", form: true, output: 4_096 },
  // Recraft's tools; it has renamed two of them, and clients know either name.
  ...[
    "images/vectorize",
    "images/removeBackground",
    "images/crispUpscale",
    "images/clarityUpscale",
    "images/creativeUpscale",
    "images/generativeUpscale",
    "styles",
  ].map((name): PlainDoor => ({
    path: `/recraftAI/v1/${name}`,
    needs: "images",
    tool: { name: `recraft_${name.slice(name.indexOf("/") + 1)}`, path: `/v1/${name}` },
  })),
];

/** What we read of a body; everything else passes unseen. */
const Read = z.object({
  model: z.string().min(1).max(160),
  n: z.coerce.number().int().min(1).max(128).nullish(),
  max_tokens: z.coerce.number().int().min(1).nullish(),
  stream: z.union([z.boolean(), z.stringbool()]).nullish(),
});
type Read = z.infer<typeof Read>;

export function plainRoutes(app: FastifyInstance, services: GatewayServices): void {
  // Read by its door, once the caller is known.
  app.addContentTypeParser("multipart/form-data", (_request, payload, done) => done(null, payload));
  for (const door of doors) {
    const serve = async (request: FastifyRequest, reply: FastifyReply) => {
      const startedAt = Date.now();
      const known = await authenticate(services.callers, request);
      const isForm = door.tool === undefined ? door.form === true : !isJsonBody(request.body);
      if (!isForm) {
        await answerPlain(services, door, request, reply, {
          ...known,
          startedAt,
          body: jsonOf(door, request),
        });
        return reply;
      }
      const form = await formIn(services, request, reply);
      try {
        const body = bodyOf(door, request, form);
        await answerPlain(services, door, request, reply, { ...known, startedAt, body });
      } finally {
        await form.close();
      }
      return reply;
    };
    app.post(door.path, serve);
    if (door.alias !== undefined) app.post(door.alias, serve);
  }
}

async function answerPlain(
  services: GatewayServices,
  door: PlainDoor,
  request: FastifyRequest,
  reply: FastifyReply,
  { caller, pin, startedAt, body }: Authenticated & { startedAt: number; body: Body },
): Promise<void> {
  const signal = leavingSignal(reply);
  const { read, ...rest } = body;
  const { headers, call } = await admit(services, {
    requestId: request.id,
    startedAt,
    caller,
    pin,
    ip: request.ip,
    endpoint: door.path,
    path: door.tool?.path ?? door.path,
    needs: door.needs,
    model: read.model,
    stream: read.stream === true,
    tools: false,
    calls: read.n ?? 1,
    fresh: wantsFresh(request),
    signal,
    ...rest,
  });
  const answer = await relayPlain(services.relay, call);
  if (answer.kind === "body" && door.spell !== undefined && isJsonBody(request.body))
    answer.body = door.spell(answer.body, request.body.body);
  const { HeartbeatSeconds } = services.relay.settings.current();
  await sendAnswer(reply, answer, {
    heartbeat: ": heartbeat\n\n",
    heartbeatMs: heartbeatMs(caller.setting.heartbeat, HeartbeatSeconds),
    headers,
    signal,
    streams: services.relay.metrics.streams,
  });
}

type Body = Pick<PlainCall, "raw" | "contentType" | "bodyFor" | "estimate" | "heardSeconds"> & { read: Read };

function jsonOf(door: PlainDoor, request: FastifyRequest): Body {
  if (!isJsonBody(request.body))
    throw invalidRequest("The body must be a JSON object sent as application/json.");
  const { body, raw } = request.body;
  const read = readFields(door, body);
  return {
    read,
    raw,
    contentType: "application/json",
    bodyFor: (model) =>
      door.tool !== undefined || body["model"] === model ? raw : JSON.stringify({ ...body, model }),
    estimate: estimateOf(door, read, textsIn(body)),
  };
}

async function formIn(
  { uploads }: GatewayServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Form> {
  if (request.body !== request.raw) throw invalidRequest("The body must be sent as multipart/form-data.");
  try {
    return await readForm(request.raw, { maxBytes: BODY_LIMIT, folder: uploads });
  } catch (error) {
    // What is left of a body that nobody reads must not be taken for the next request.
    if (!request.raw.readableEnded) void reply.header("connection", "close");
    throw error;
  }
}

function bodyOf(door: PlainDoor, request: FastifyRequest, form: Form): Body {
  const read = readFields(door, Object.fromEntries(form.fields));
  const usage = estimateOf(door, read, [form.fields.get("prompt") ?? ""]);
  const heardSeconds = door.needs === "audio" ? recordingSeconds(form.fileHead, form.fileBytes) : 0;
  const audio = recordingTokens(heardSeconds);
  return {
    read,
    contentType: request.headers["content-type"] ?? "",
    bodyFor: (model) => (door.tool === undefined ? form.withModel(model) : form.whole()),
    estimate: audio === 0 ? usage : { ...usage, input: usage.input + audio, audioInput: audio },
    heardSeconds,
  };
}

function readFields({ model, tool }: PlainDoor, fields: Record<string, unknown>): Read {
  // What a tool is billed as is not the caller's to say.
  const parsed = Read.safeParse(tool === undefined ? { model, ...fields } : { model: tool.name });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw invalidRequest(`${path}: ${issue?.message ?? "not valid"}`, path);
}

function estimateOf(door: PlainDoor, read: Read, texts: readonly string[]): Usage {
  const output = (read.max_tokens ?? door.output ?? 0) * (read.n ?? 1);
  const parts = texts.map((text) => ({ type: "text" as const, text }));
  return estimateUsage(
    { model: read.model, stream: false, messages: [{ role: "user", parts }] },
    { maxOutputTokens: output },
  );
}

/** All that a vendor may read: strings at any of the usual places, and lists of them. */
function textsIn(body: Record<string, unknown>): string[] {
  const texts: string[] = [];
  for (const field of ["input", "prompt", "query", "documents"]) collect(body[field], texts);
  return texts;
}

function collect(value: unknown, into: string[]): void {
  if (typeof value === "string") into.push(value);
  // A list of token numbers: each is about four characters long.
  else if (typeof value === "number") into.push("    ");
  else if (Array.isArray(value)) for (const entry of value) collect(entry, into);
  else if (typeof value === "object" && value !== null)
    for (const entry of Object.values(value)) collect(entry, into);
}

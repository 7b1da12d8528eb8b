import { z } from "zod";
import type { Frame, StreamDecoder, ProviderWire, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, ChatRequest, ChatResponse, Message, UpstreamError, Usage } from "#dialects/ir.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { inOrder } from "#dialects/stream/stream-order.ts";
import { tokens, usageOf } from "#dialects/usage/tokens.ts";
import { compact, parseAnswer, parseRecord, readAs } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { aspectRatio } from "#providers/aspect-ratio.ts";
import type { Adapter } from "#providers/provider.ts";
import { readImageRequest } from "#providers/schemas/image-request.ts";
import { droppedFields } from "./dropped-fields.ts";

/**
 * Replicate's only wire format: a prediction, whose input and output depend on the model. The request waits
 * for it; after the same deadline both sides give up, so that no output is generated that no one fetches.
 */
const PATH = "/v1/predictions";
export const WAIT_SECONDS = 60;

const prediction = z.looseObject({
  id: z.string(),
  model: z.string().nullish(),
  status: z.string(),
  output: z.unknown().optional(),
  error: z.unknown().optional(),
  created_at: z.string().nullish(),
  metrics: z
    .looseObject({ input_token_count: z.number().nullish(), output_token_count: z.number().nullish() })
    .nullish(),
});
type Prediction = z.infer<typeof prediction>;

/** Returns the error of a prediction that was accepted. */
function faultOf({ status, error }: Prediction): UpstreamError | undefined {
  if (status === "succeeded") return undefined;
  if (status === "failed") {
    const message = typeof error === "string" && error !== "" ? error : "The prediction failed.";
    return { kind: "server", message, status: 200 };
  }
  return {
    kind: "timeout",
    message: `The prediction took longer than ${WAIT_SECONDS} seconds.`,
    status: 200,
  };
}

function outputs({ output }: Prediction): string[] {
  const list: unknown[] = Array.isArray(output) ? output : [output];
  return list.filter((each): each is string => typeof each === "string");
}

function decodeUsage({ metrics }: Prediction): Usage | undefined {
  return usageOf({
    input: tokens(metrics?.input_token_count),
    output: tokens(metrics?.output_token_count),
    raw: metrics,
  });
}

function textOf(message: Message, dropped: Set<string>): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "refusal") return [part.text];
      if (part.type !== "reasoning") dropped.add(part.type);
      return [];
    })
    .join("\n");
}

/** Returns the conversation as one text, because these models accept a single prompt. */
function promptOf(turns: Message[], dropped: Set<string>): string {
  const [only] = turns;
  if (only !== undefined && turns.length === 1) return textOf(only, dropped);
  const lines = turns.map(
    (turn) => `${turn.role === "assistant" ? "Assistant" : "User"}: ${textOf(turn, dropped)}`,
  );
  return [...lines, "Assistant:"].join("\n\n");
}

function encodeRequest(request: ChatRequest): { body: Wire; dropped: string[] } {
  const dropped = new Set<string>();
  const instructs = ({ role }: Message) => role === "system" || role === "developer";
  const system = request.messages.filter(instructs).map((message) => textOf(message, dropped));
  const prompt = promptOf(
    request.messages.filter((message) => !instructs(message)),
    dropped,
  );
  if (prompt.trim() === "") throw invalidRequest({ reason: "no_content_for_model" }, { param: "messages" });
  const input = compact<Wire>({
    prompt,
    system_prompt: system.length === 0 ? undefined : system.join("\n\n"),
    max_tokens: request.maxOutputTokens,
    temperature: request.temperature,
    top_p: request.topP,
    top_k: request.topK,
    seed: request.seed,
    presence_penalty: request.presencePenalty,
    frequency_penalty: request.frequencyPenalty,
  });
  for (const field of droppedFields(request)) dropped.add(field);
  return { body: { version: request.model, input }, dropped: [...dropped] };
}

function head(wire: Prediction): { id: string; model: string; created?: number } {
  const created = Math.floor(Date.parse(wire.created_at ?? "") / 1_000);
  return { id: wire.id, model: wire.model ?? "", ...(Number.isFinite(created) && { created }) };
}

function decodeResponse(body: unknown): ChatResponse {
  const wire = parseAnswer(prediction, body);
  const text = faultOf(wire) === undefined ? outputs(wire).join("") : "";
  return compact<ChatResponse>({
    ...head(wire),
    choices: [{ index: 0, parts: text === "" ? [] : [{ type: "text", text }], finish: "stop" }],
    usage: faultOf(wire) === undefined ? decodeUsage(wire) : undefined,
  });
}

/** Decodes a stream. A prediction arrives complete, so its stream is one frame. */
function decodeStream(): StreamDecoder {
  const choice = 0;
  return inOrder({
    frame(frame: Frame): ChatEvent[] {
      const wire = readAs(prediction, parseRecord(frame.data));
      const error = wire === undefined ? decodeError(502, frame.data, {}) : faultOf(wire);
      if (wire === undefined || error !== undefined)
        return error === undefined ? [] : [{ type: "error", error }];
      const text = outputs(wire).join("");
      return [
        { type: "start", ...head(wire) },
        { type: "text", choice, part: 0, text },
        { type: "stop", choice, reason: "stop", raw: wire.status },
        compact<ChatEvent>({ type: "finish", usage: decodeUsage(wire) }),
      ];
    },
    end: () => [],
  });
}

const decodeError: ProviderWire["decodeError"] = (status, body, headers) => {
  const wire = readAs(prediction, parseRecord(body));
  const fault = wire === undefined ? undefined : faultOf(wire);
  return fault ?? dialects["openai-chat"].decodeError(status, body, headers);
};

export const predictionChat: ProviderWire = {
  id: "own",
  path: () => PATH,
  encodeRequest,
  takesAddress: () => false,
  decodeResponse,
  decodeStream,
  decodeError,
  isLast: () => true,
};

/** Converts a JSON response to the single frame of a stream once it is complete. */
export function openPrediction(): (chunk: Uint8Array) => Buffer {
  const decoder = new TextDecoder();
  let pending = "";
  return (chunk) => {
    pending += decoder.decode(chunk, { stream: true });
    const whole = pending.trimEnd().endsWith("}") ? parseRecord(pending) : undefined;
    return Buffer.from(whole === undefined ? "" : formatFrame({ data: JSON.stringify(whole) }));
  };
}

const Requested = z.object({
  prompt: z.string().min(1),
  n: z.int().min(1).max(4).default(1),
  size: z.string().optional(),
  output_format: z.enum(["png", "jpg", "jpeg", "webp"]).optional(),
});

/** Returns an image by its URL, or by its bytes where the provider included them. */
function pictureOf(output: string): Wire {
  const data = /^data:[^,]*;base64,(?<bytes>.*)$/s.exec(output)?.groups?.["bytes"];
  return data === undefined ? { url: output } : { b64_json: data };
}

export const predictionImages: Adapter = {
  request(body, { model }) {
    const { prompt, n, size, output_format: format } = readImageRequest(Requested, body);
    const input = compact<Wire>({
      prompt,
      num_outputs: n === 1 ? undefined : n,
      aspect_ratio: size === undefined || size === "auto" ? undefined : aspectRatio(size),
      output_format: format === "jpeg" ? "jpg" : format,
    });
    return {
      path: PATH,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ version: model, input }),
    };
  },
  answer(text, now) {
    const wire = readAs(prediction, parseRecord(text));
    if (wire === undefined)
      return { error: { kind: "server", message: "The upstream's answer could not be read.", status: 200 } };
    const error = faultOf(wire);
    if (error !== undefined) return { error };
    const data = outputs(wire).map(pictureOf);
    if (data.length === 0)
      return { error: { kind: "server", message: "The upstream sent no image.", status: 200 } };
    const answer = { created: Math.floor(now / 1_000), data };
    return { contentType: "application/json", body: Buffer.from(JSON.stringify(answer)) };
  },
};

/** A streamed call to the gateway, like that of any client. Independent of the screen. */
import { z } from "zod";
import type { Message } from "./chat.ts";
import { createEventCutter } from "./sse.ts";

export type CompletionRequest = {
  key: string;
  model: string;
  messages: Message[];
  temperature: number | null;
  topP: number | null;
  maxTokens: number | null;
  signal: AbortSignal;
};

export type CompletionEvent =
  | { type: "opened"; requestId: string }
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "image"; url: string }
  | { type: "finish"; reason: string }
  | { type: "usage"; input: number; output: number };

/** The gateway's error: code, params and English message. */
export class CompletionError extends Error {
  readonly status: number;
  readonly requestId: string;
  readonly code: string;
  readonly params: Record<string, string | number>;

  constructor({ message, code, params }: Partial<Refusal>, status: number, requestId: string) {
    super(message ?? "");
    this.name = "CompletionError";
    this.code = code ?? "";
    this.params = params ?? {};
    this.status = status;
    this.requestId = requestId;
  }
}

const Refused = z.object({
  error: z.object({
    message: z.string(),
    code: z.string().nullish(),
    params: z.record(z.string(), z.union([z.string(), z.number()])).nullish(),
  }),
});
type Refusal = z.infer<typeof Refused>["error"];

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            images: z.array(z.object({ image_url: z.object({ url: z.string() }) })).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends a call with the user's own key. Throws CompletionError when it is rejected. */
export async function askGateway(
  path: string,
  requested: unknown,
  { key, signal }: Pick<CompletionRequest, "key" | "signal">,
) {
  const response = await fetch(new URL(path, document.baseURI), {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(requested),
    signal,
    credentials: "omit",
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  const { body } = response;
  if (!response.ok || !body) {
    const refusal = Refused.safeParse(parseJson(await response.text()));
    throw new CompletionError(refusal.data?.error ?? {}, response.status, requestId);
  }
  return { response, body, requestId };
}

/** Reports each chunk and resolves at the end. Throws CompletionError or the abort error. */
export async function streamCompletion(
  request: CompletionRequest,
  report: (event: CompletionEvent) => void,
): Promise<void> {
  const { body, requestId } = await askGateway("v1/chat/completions", bodyOf(request), request);
  report({ type: "opened", requestId });
  const cut = createEventCutter();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    for (const data of cut(value)) readEvent(data, requestId, report);
  }
}

function bodyOf({ model, messages, temperature, topP, maxTokens }: CompletionRequest) {
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
  };
}

function readEvent(data: string, requestId: string, report: (event: CompletionEvent) => void): void {
  if (data === "[DONE]") return;
  const json = parseJson(data);
  const refusal = Refused.safeParse(json);
  if (refusal.success) throw new CompletionError(refusal.data.error, 200, requestId);
  const chunk = Chunk.safeParse(json);
  if (!chunk.success) return;
  for (const { delta, finish_reason: reason } of chunk.data.choices ?? []) {
    const reasoning = delta?.reasoning_content ?? delta?.reasoning;
    if (reasoning) report({ type: "reasoning", text: reasoning });
    if (delta?.content) report({ type: "text", text: delta.content });
    for (const image of delta?.images ?? []) report({ type: "image", url: image.image_url.url });
    if (reason) report({ type: "finish", reason });
  }
  const { usage } = chunk.data;
  if (usage) report({ type: "usage", input: usage.prompt_tokens, output: usage.completion_tokens });
}

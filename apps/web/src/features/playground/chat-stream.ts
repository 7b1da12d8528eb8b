/** One streamed chat completion, as any client of the gateway would make it. Knows nothing of React. */
import { z } from "zod";

export type ChatTurn = { role: "system" | "user" | "assistant"; content: string };

export type ChatSettings = {
  model: string;
  /** Null: the model's own. */
  temperature: number | null;
  maxTokens: number | null;
};

export type ChatUsage = { input: number; output: number };
export type ChatPiece =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  | { type: "usage"; usage: ChatUsage };

/** The gateway's or the vendor's refusal, with the id to find the call by. */
export class ChatError extends Error {
  readonly requestId: string;

  constructor(message: string, requestId: string) {
    super(message);
    this.name = "ChatError";
    this.requestId = requestId;
  }
}

const Chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), reasoning_content: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.object({ message: z.string() }).nullish(),
});

/** Pieces of one event's data; throws when the event is an error. */
export function readChunk(data: string, requestId: string): ChatPiece[] {
  if (data === "[DONE]") return [];
  const chunk = Chunk.parse(JSON.parse(data));
  if (chunk.error) throw new ChatError(chunk.error.message, requestId);
  const pieces: ChatPiece[] = [];
  for (const choice of chunk.choices ?? []) {
    if (choice.delta?.reasoning_content)
      pieces.push({ type: "reasoning", text: choice.delta.reasoning_content });
    if (choice.delta?.content) pieces.push({ type: "text", text: choice.delta.content });
  }
  if (chunk.usage)
    pieces.push({
      type: "usage",
      usage: { input: chunk.usage.prompt_tokens, output: chunk.usage.completion_tokens },
    });
  return pieces;
}

/** Splits off whole events: their data, and the unfinished rest. Comments and other fields are skipped. */
export function splitEvents(buffer: string): { data: string[]; rest: string } {
  const events = buffer.replaceAll("\r\n", "\n").split("\n\n");
  const rest = events.pop() ?? "";
  const data = events
    .map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).trimStart())
        .join("\n"),
    )
    .filter((text) => text !== "");
  return { data, rest };
}

const Refusal = z.object({ error: z.object({ message: z.string() }) });

async function refusalOf(response: Response, requestId: string): Promise<ChatError> {
  const body: unknown = await response.json().catch(() => null);
  const refusal = Refusal.safeParse(body);
  return new ChatError(
    refusal.success ? refusal.data.error.message : `${response.status} ${response.statusText}`,
    requestId,
  );
}

/** @param started called with the request id as soon as the gateway answers */
export async function* streamChat(
  key: string,
  turns: ChatTurn[],
  settings: ChatSettings,
  signal: AbortSignal,
  started: (requestId: string) => void,
): AsyncGenerator<ChatPiece> {
  const response = await fetch(new URL("v1/chat/completions", document.baseURI), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({
      model: settings.model,
      messages: turns,
      stream: true,
      stream_options: { include_usage: true },
      ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
      ...(settings.maxTokens === null ? {} : { max_tokens: settings.maxTokens }),
    }),
    signal,
  });
  const requestId = response.headers.get("x-request-id") ?? "";
  if (!response.ok || !response.body) throw await refusalOf(response, requestId);
  started(requestId);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const { data, rest } = splitEvents(buffer + value);
    buffer = rest;
    for (const event of data) yield* readChunk(event, requestId);
  }
}

import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import { fixedModel, type World } from "./world.ts";

/** One call as its client saw it. */
export interface Seen {
  client: number;
  /** The client's address, another one for each call. It identifies the call even if nothing of its response arrived. */
  address: string;
  /**
   * complete: up to the last byte · refused: a complete error response · broken: the connection ended early
   */
  end: "complete" | "refused" | "broken";
  /** Set if the head of the response arrived. */
  requestId: string | undefined;
  status: number;
  /** Received tokens of long streams, by the client's count. */
  arrived?: number;
  /** Refused because its own limit is used up, not the account's balance. */
  isCapped?: boolean;
}

let calls = 0;

/** Returns an address that no other call of this run has. */
export function newAddress(): string {
  calls += 1;
  return `10.${(calls >> 16) & 255}.${(calls >> 8) & 255}.${calls & 255}`;
}

const endings = ["body", "stream", "sdk-body", "sdk-stream", "quoted"] as const;

/** Makes calls one after the other, each to a random node, until stopped. */
export async function runClient(world: World, client: number, signal: AbortSignal): Promise<Seen[]> {
  const seen: Seen[] = [];
  const key = world.keys[client] ?? "";
  for (let round = 0; !signal.aborted; round += 1) {
    const node = world.nodes[Math.floor(Math.random() * world.nodes.length)] ?? "";
    const ending = endings[(round + client) % endings.length] ?? "body";
    const caller = { key, address: newAddress() };
    const result = await ask(node, caller, ending);
    seen.push({ client, address: caller.address, ...result });
    // A stopped node refuses connections immediately, so wait before the next call.
    if (result.end !== "complete") await sleep(50);
  }
  return seen;
}

function ask(node: string, caller: Caller, ending: (typeof endings)[number]): Promise<Result> {
  if (ending === "quoted") return askQuoted(node, caller);
  if (ending === "sdk-body" || ending === "sdk-stream") return askSdk(node, caller, ending === "sdk-stream");
  return askRaw(node, caller, question(ending === "stream"));
}

/** Makes a call at a quoted price. */
async function askQuoted(node: string, caller: Caller): Promise<Result> {
  const body = question(false);
  let id: string;
  try {
    const response = await fetch(`${node}/v1/quote/v1/chat/completions`, {
      method: "POST",
      headers: headersOf(caller),
      body: JSON.stringify(body),
    });
    if (response.status !== 200) return { end: "refused", requestId: undefined, status: response.status };
    ({ id } = (await response.json()) as { id: string });
  } catch {
    return { end: "broken", requestId: undefined, status: 0 };
  }
  return askRaw(node, caller, body, { "x-quote-id": id });
}

/** Runs streams of ten seconds or more one after the other, until stopped. These calls have checkpoints. */
export async function runLongClient(world: World, client: number, signal: AbortSignal): Promise<Seen[]> {
  const seen: Seen[] = [];
  while (!signal.aborted) {
    const node = world.nodes[Math.floor(Math.random() * world.nodes.length)] ?? "";
    const address = newAddress();
    const result = await readLong(node, { key: world.keys[client] ?? "", address });
    seen.push({ client, address, ...result });
    if (result.end !== "complete") await sleep(50);
  }
  return seen;
}

/** Reads the beginning of a long stream, keeps the connection open without reading, and then closes it. */
export async function runSilentClient(world: World, client: number, signal: AbortSignal): Promise<Seen[]> {
  const seen: Seen[] = [];
  while (!signal.aborted) {
    const node = world.nodes[Math.floor(Math.random() * world.nodes.length)] ?? "";
    const address = newAddress();
    const leaving = new AbortController();
    let requestId: string | undefined;
    let status = 0;
    try {
      const response = await askLong(node, { key: world.keys[client] ?? "", address }, leaving.signal);
      ({ status } = response);
      requestId = response.headers.get("x-request-id") ?? undefined;
      await response.body?.getReader().read();
      await sleep(silentMs);
    } catch {
      await sleep(50);
    }
    leaving.abort();
    const isRefused = status !== 0 && status !== 200;
    seen.push({ client, address, end: isRefused ? "refused" : "broken", requestId, status });
  }
  return seen;
}

const silentMs = 8_000;

/** Who makes a call. */
interface Caller {
  key: string;
  address: string;
}

const headersOf = ({ key, address }: Caller) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  "x-forwarded-for": address,
});

function askLong(node: string, caller: Caller, signal?: AbortSignal): Promise<Response> {
  const content = "[[length=110]] [[chunk-delay=100]] Tell a long story.";
  return fetch(`${node}/v1/chat/completions`, {
    method: "POST",
    headers: headersOf(caller),
    body: JSON.stringify({
      model: "demo-chat",
      max_tokens: 400,
      stream: true,
      messages: [{ role: "user", content }],
    }),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function readLong(node: string, caller: Caller): Promise<Result> {
  let requestId: string | undefined;
  let status = 0;
  let text = "";
  const decoder = new TextDecoder();
  const arrived = () => ({ arrived: tokensIn(text) });
  try {
    const response = await askLong(node, caller);
    ({ status } = response);
    requestId = response.headers.get("x-request-id") ?? undefined;
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    if (status !== 200) return { end: "refused", requestId, status };
    if (text.includes("data: [DONE]")) return { end: "complete", requestId, status, ...arrived() };
    return { end: text.includes('"error"') ? "refused" : "broken", requestId, status, ...arrived() };
  } catch {
    return { end: "broken", requestId, status, ...arrived() };
  }
}

function tokensIn(text: string): number {
  const tally = { narrow: 0, wide: 0 };
  for (const [, messages] of text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g))
    addTo(tally, JSON.parse(messages ?? '""') as string);
  return tokensOf(tally);
}

type Result = Pick<Seen, "end" | "requestId" | "status" | "arrived">;

function question(stream: boolean) {
  // Some responses are slow, so that a strike always hits an active call.
  const slow = Math.random() < 0.3 ? "[[chunk-delay=20]] " : "";
  return {
    model: "demo-chat",
    max_tokens: 200,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user" as const, content: `${slow}Say something about the weather.` }],
  };
}

async function askRaw(
  node: string,
  caller: Caller,
  body: ReturnType<typeof question>,
  headers: Record<string, string> = {},
): Promise<Result> {
  const { stream } = body;
  let requestId: string | undefined;
  let status = 0;
  try {
    const response = await fetch(`${node}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headersOf(caller), ...headers },
      body: JSON.stringify(body),
    });
    status = response.status;
    requestId = response.headers.get("x-request-id") ?? undefined;
    const text = await response.text();
    if (status !== 200) return { end: "refused", requestId, status };
    if (!stream) {
      JSON.parse(text);
      return { end: "complete", requestId, status };
    }
    if (text.includes("data: [DONE]")) return { end: "complete", requestId, status };
    return { end: text.includes('"error"') ? "refused" : "broken", requestId, status };
  } catch {
    return { end: "broken", requestId, status };
  }
}

/** Makes a call with a fixed cost. */
export async function askFixed(node: string, caller: Caller): Promise<Result> {
  let requestId: string | undefined;
  let status = 0;
  try {
    const response = await fetch(`${node}/v1/chat/completions`, {
      method: "POST",
      headers: headersOf(caller),
      body: JSON.stringify({ model: fixedModel, messages: [{ role: "user", content: "Hello" }] }),
    });
    status = response.status;
    requestId = response.headers.get("x-request-id") ?? undefined;
    JSON.parse(await response.text());
    return { end: status === 200 ? "complete" : "refused", requestId, status };
  } catch {
    return { end: "broken", requestId, status };
  }
}

async function askSdk(node: string, { key, address }: Caller, stream: boolean): Promise<Result> {
  const openai = new OpenAI({
    baseURL: `${node}/v1`,
    apiKey: key,
    maxRetries: 0,
    defaultHeaders: { "x-forwarded-for": address },
  });
  let requestId: string | undefined;
  try {
    const { messages, max_tokens, model } = question(stream);
    if (!stream) {
      const { request_id } = await openai.chat.completions
        .create({ messages, max_tokens, model })
        .withResponse();
      return { end: "complete", requestId: request_id ?? undefined, status: 200 };
    }
    const opened = await openai.chat.completions
      .create({ messages, max_tokens, model, stream: true })
      .withResponse();
    requestId = opened.request_id ?? undefined;
    let finished = false;
    for await (const chunk of opened.data) finished ||= chunk.choices[0]?.finish_reason === "stop";
    return { end: finished ? "complete" : "broken", requestId, status: 200 };
  } catch (error) {
    if (error instanceof OpenAI.APIConnectionError || !(error instanceof OpenAI.APIError))
      return { end: "broken", requestId, status: 0 };
    // An error inside a stream has no status of its own, but it is a complete response.
    const { status, requestID } = error;
    return { end: "refused", requestId: requestID ?? requestId, status: Number(status ?? 200) };
  }
}

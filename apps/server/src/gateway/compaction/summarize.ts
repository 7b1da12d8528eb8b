import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { Dialect, Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import { upstreamFailed } from "#errors.ts";
import type { JsonBody } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat } from "#relay/chat/chat.ts";
import { type Seal, sealSummary } from "./seal.ts";

/** Compacts a conversation with its own model, for providers without compaction. */
export const REQUEST = `Write a summary of this conversation that lets another assistant continue it without the rest.
Include, as far as they occurred: what the user wants and every constraint they stated; decisions and the reasons for them;
what was done, with file paths, names, commands and their results; the exact state of unfinished work and the next steps; facts,
identifiers and snippets that will be needed again; what failed and why. Do not continue the work and do not call tools. Write only the summary.`;

const client: Dialect = dialects["openai-responses"];

/**
 * Returns the body of the call that creates the summary.
 * @param body its last item may request the compaction
 */
export function summaryBody(body: Wire): JsonBody {
  const given = Array.isArray(body["input"]) ? (body["input"] as unknown[]) : [];
  const { context_management: _management, text: _text, stream: _stream, ...rest } = body;
  const request = { type: "message", role: "user", content: [{ type: "input_text", text: REQUEST }] };
  const hasTools = Array.isArray(body["tools"]) && body["tools"].length > 0;
  const { tool_choice: _choice, ...plain } = rest;
  const whole: Wire = {
    ...plain,
    ...(hasTools ? { tool_choice: "none" } : {}),
    store: false,
    stream: false,
    input: [...given.filter((item) => !isTrigger(item)), request],
  };
  return { body: whole, raw: Buffer.from(JSON.stringify(whole)) };
}

export function isTrigger(item: unknown): boolean {
  return asRecord(item)?.["type"] === "compaction_trigger";
}

export interface CompactionResult {
  id: string;
  createdAt: number;
  model: string;
  item: Wire;
  usage: unknown;
  headers: Record<string, string>;
}

export interface Summary {
  text: string;
  model: string;
  /** As Responses reports it. */
  usage: unknown;
  headers: Record<string, string>;
}

/** Makes one call with one charge. @param call with the request from `summaryBody` */
export async function summarize(
  services: GatewayServices,
  seal: Seal,
  call: ChatCall,
): Promise<CompactionResult> {
  const { text, ...made } = await summaryOf(services, call);
  const encrypted = sealSummary(seal, call.caller.userId, text);
  return {
    ...made,
    id: `resp_${randomBytes(24).toString("hex")}`,
    createdAt: Math.floor(call.startedAt / 1_000),
    item: { id: `cmp_${randomBytes(24).toString("hex")}`, type: "compaction", encrypted_content: encrypted },
  };
}

/** Makes one call with one charge, and returns its text. Throws `upstream_failed` if it has none. */
export async function summaryOf(services: GatewayServices, call: ChatCall): Promise<Summary> {
  const answer = await relayChat(services.relay, {
    ...call,
    client,
    // The provider's failed attempt was a call of its own.
    requestId: randomUUIDv7(),
    stream: false,
    // The summary is needed whole, whatever its length.
    finished: async () => {},
  });
  const response = answer.kind === "body" ? parseRecord(answer.body) : undefined;
  const text = textOf(response?.["output"]);
  if (response === undefined || text === "") throw upstreamFailed({ reason: "upstream_empty" });
  const { model } = response;
  return {
    text,
    model: typeof model === "string" ? model : call.model,
    usage: response["usage"] ?? null,
    headers: answer.headers,
  };
}

function textOf(output: unknown): string {
  const items = Array.isArray(output) ? (output as unknown[]) : [];
  return items
    .flatMap((item) => {
      const content = asRecord(item)?.["content"];
      return Array.isArray(content) ? (content as unknown[]) : [];
    })
    .map((part) => asRecord(part)?.["text"])
    .filter((text) => typeof text === "string")
    .join("\n\n")
    .trim();
}

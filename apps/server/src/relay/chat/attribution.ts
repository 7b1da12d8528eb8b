import type { Wire } from "#dialects/dialect.ts";
import type { ChatRequest, Message, Part } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import type { ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { isOwnAddress } from "#providers/provider.ts";

/**
 * Claude Code begins its system prompt with a line for Anthropic's accounting. It has a checksum of the request, so it
 * differs with every request, and a provider that caches by prefix would cache nothing of a session.
 * https://github.com/anthropics/claude-code/issues/68900, read 2026-11-28.
 */
const LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** Whether the channel calls Anthropic at its own address. */
function isAnthropic({ provider, baseUrl }: Pick<ActiveChannel, "provider" | "baseUrl">): boolean {
  return provider.id === "anthropic" && isOwnAddress(provider, baseUrl);
}

/**
 * Returns the request of a Messages client without this line, for every provider but Anthropic. The same object where
 * there is none.
 */
export function withoutAttribution<Given extends { readonly body: Wire; readonly request: ChatRequest }>(
  given: Given,
  channel: Pick<ActiveChannel, "provider" | "baseUrl">,
): Given {
  if (isAnthropic(channel)) return given;
  const { system } = given.body;
  const rest = withoutLine(system);
  if (rest === system) return given;
  const [first, ...others] = given.request.messages;
  const { system: _system, ...fields } = given.body;
  return {
    ...given,
    body: rest === undefined ? fields : { ...fields, system: rest },
    request: {
      ...given.request,
      messages: first?.role === "system" ? [...withoutFirstLine(first), ...others] : given.request.messages,
    },
  };
}

/** @param system a text or a list of blocks. Returns undefined when nothing remains */
function withoutLine(system: unknown): unknown {
  if (typeof system === "string") return LINE.test(system) ? system.replace(LINE, "") || undefined : system;
  if (!Array.isArray(system)) return system;
  const [block, ...rest] = system as unknown[];
  const text = asRecord(block)?.["text"];
  if (typeof text !== "string" || !LINE.test(text)) return system;
  const remaining = text.replace(LINE, "");
  if (remaining !== "") return [{ ...asRecord(block), text: remaining }, ...rest];
  return rest.length === 0 ? undefined : rest;
}

function withoutFirstLine(message: Message): Message[] {
  const [part, ...rest] = message.parts;
  if (part?.type !== "text") return [message];
  const text = part.text.replace(LINE, "");
  const parts: Part[] = text === "" ? rest : [{ ...part, text }, ...rest];
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

import type { Dialect, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { asRecord } from "#dialects/wire.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { GatewayError } from "#errors.ts";
import { admit } from "#gateway/access/admit.ts";
import type { ReadTurn } from "#gateway/chat/chat.ts";
import { readThreadTurn } from "#gateway/conversation/thread.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { relayChat } from "#relay/chat/chat.ts";
import {
  compactionEdit,
  isInstruction,
  summaryMessage,
  tokensIn,
  withContextEdits,
} from "#relay/chat/context-edits.ts";
import type { Answer } from "#relay/core/call.ts";
import { allManageContext } from "#relay/core/routing/price-options.ts";
import { blockAnswer, withBlock } from "./compaction-block.ts";
import { REQUEST, type Summary, summaryOf } from "./summarize.ts";

/**
 * Compaction for Messages, by the model of the call, where a provider of the model does not support it: on
 * request (`compaction`), or above a number of tokens (`compact_20260112`).
 * https://platform.claude.com/docs/en/build-with-claude/compaction, read 2026-11-25.
 */
interface CompactionRequest {
  /** Tokens above which the conversation is compacted; 0 = on request. */
  above: number;
  /** The response is the summary alone. */
  alone: boolean;
  instructions: string;
}

const TRIGGER_TOKENS = 150_000;

function wantedIn(body: Wire): CompactionRequest | undefined {
  const requested = asRecord(body["compaction"]);
  const edit = compactionEdit(body);
  const wanted = requested ?? edit;
  if (wanted === undefined) return undefined;
  const { instructions } = wanted;
  const above = asRecord(edit?.["trigger"])?.["value"];
  return {
    above: requested === undefined ? (typeof above === "number" ? above : TRIGGER_TOKENS) : 0,
    alone: requested !== undefined || edit?.["pause_after_compaction"] === true,
    instructions: typeof instructions === "string" && instructions.trim() !== "" ? instructions : REQUEST,
  };
}

/** Reads a call of the Messages dialect. */
export function readMessagesTurn(services: GatewayServices, client: Dialect): ReadTurn {
  const read = readThreadTurn(services, client);
  return async (request, select) => {
    const turn = await read(request, select);
    const wanted = wantedIn(turn.body);
    return wanted === undefined
      ? turn
      : { ...turn, serve: (call: ChatCall) => compacting(services, call, wanted) };
  };
}

async function compacting(
  services: GatewayServices,
  call: ChatCall,
  wanted: CompactionRequest,
): Promise<Answer> {
  const { relay } = services;
  const { group, backupGroup } = call.caller;
  const channels = [group, ...(backupGroup === "" ? [] : [backupGroup])].flatMap((symbol) =>
    relay.candidates.find(symbol, call.model),
  );
  if (allManageContext(channels, call.model)) return relayChat(relay, call);
  const request = withContextEdits(call.request);
  // A provider of the dialect may reject the fields that it does not know.
  const whole: ChatCall = { ...call, request, rewritten: true };
  if (tokensIn(request.messages) <= wanted.above) return relayChat(relay, whole);
  let summary: Summary;
  try {
    summary = await summaryOf(services, await summaryCall(services, call, request, wanted));
  } catch (error) {
    // The provider may still be able to answer the whole conversation.
    const failed = error instanceof GatewayError && error.code === "upstream_failed";
    if (wanted.alone || !failed) {
      // The call ends here, so nothing else gives back the tokens that it was admitted with.
      call.used?.(0);
      throw error;
    }
    return relayChat(relay, whole);
  }
  if (wanted.alone) {
    call.used?.(0);
    return blockAnswer(summary, call.stream);
  }
  const messages = [...request.messages.filter(isInstruction), summaryMessage(summary.text)];
  const continued: ChatRequest = { ...request, messages };
  const answer = await relayChat(relay, { ...whole, request: continued, stateful: true });
  return withBlock(answer, summary);
}

/** Returns the admitted call that writes the summary. */
async function summaryCall(
  services: GatewayServices,
  call: ChatCall,
  edited: ChatRequest,
  { instructions }: CompactionRequest,
): Promise<ChatCall> {
  const { finished: _finished, ...rest } = call;
  const { maxOutputTokens: _most, responseFormat: _format, extra: _extra, stop: _stop, ...kept } = edited;
  const hasTools = kept.tools !== undefined && kept.tools.length > 0;
  const request: ChatRequest = {
    ...kept,
    stream: false,
    messages: [...edited.messages, { role: "user", parts: [{ type: "text", text: instructions }] }],
    ...(hasTools && { toolChoice: { type: "none" } }),
  };
  const { DefaultMaxOutputTokens: maxOutputTokens } = services.relay.settings.current();
  const { call: admitted } = await admit(services, {
    ...rest,
    request,
    rewritten: true,
    body: {},
    stream: false,
    estimate: estimateUsage(request, { maxOutputTokens }),
  });
  return admitted;
}

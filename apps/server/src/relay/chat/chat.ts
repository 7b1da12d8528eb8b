import type { ChatRequest, UpstreamError } from "#dialects/ir.ts";
import { tierOf } from "#dialects/service-tier.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { refusal } from "#providers/refusal.ts";
import { takeOn } from "#relay/background/background.ts";
import type { Answer, Chosen } from "#relay/core/call.ts";
import { answerHeaders, jsonHeaders, noteRefusal, relay } from "#relay/core/exchange.ts";
import type { Flight } from "#relay/core/flight.ts";
import { createJsonReader } from "#relay/core/json-reader.ts";
import { openKeeper } from "#relay/core/keep-bodies.ts";
import { chatKind } from "#relay/core/owed.ts";
import { passBytes } from "#relay/core/pass-bytes.ts";
import { primed } from "#relay/core/pieces.ts";
import { openMemory } from "#relay/core/remembered.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { transportFailure } from "#relay/core/upstream-error.ts";
import { attempt } from "./attempt.ts";
import { readBody } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { requireAllowedWords } from "./content-policy.ts";
import { fetchAhead } from "./fetch-ahead.ts";
import { finish, openStream } from "./stream.ts";

/** A chat call: any client dialect to any upstream dialect, streamed or whole. */
export async function relayChat(services: RelayServices, asked: ChatCall): Promise<Answer> {
  const call = { ...asked, kind: chatKind(asked.request, asked.estimate) };
  const memory = openMemory(services, call, call.raw);
  if (memory !== undefined) call.billed = memory.billed;
  const keeper = openKeeper(services, call, call.raw);
  const serve = (chosen: Chosen, flight: Flight, begun: number) => {
    keeper.through(chosen.channel);
    return tryChannel(services, call, chosen, flight, begun);
  };
  try {
    obeyPolicy(services, call);
    const known = await memory?.answer();
    if (known !== undefined) return keeper.answered(known);
    const answer = await relay(services, call, serve, async (plan) => {
      const ahead = await fetchAhead(services, call, plan);
      Object.assign(call, ahead);
      return ahead !== undefined;
    });
    return keeper.answered(memory?.keep(answer) ?? answer);
  } catch (error) {
    keeper.failed();
    throw error;
  }
}

/** Before anything is held or remembered. The log hears of a refusal. */
function obeyPolicy(services: RelayServices, call: ChatCall): void {
  try {
    requireAllowedWords(call.request, services.settings.current());
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(services, call, error);
    throw error;
  }
}

export function streamType({ jsonArrayStream }: ChatRequest): string {
  return jsonArrayStream === true ? "application/json" : "text/event-stream; charset=utf-8";
}

async function tryChannel(
  services: RelayServices,
  call: ChatCall,
  chosen: Chosen,
  flight: Flight,
  begun: number,
): Promise<Answer | { error: UpstreamError }> {
  const tried = await attempt(services, call, chosen, flight.upstream);
  if (!tried.ok) return { error: tried.error };
  const headers = answerHeaders(tried.response.headers, [...(call.dropped ?? []), ...tried.dropped]);
  flight.chosen = chosen;
  const { tierHeader } = chosen.channel.provider;
  flight.tierSaid = tierHeader === undefined ? undefined : tierOf(tried.response.headers[tierHeader]);
  try {
    if (call.stream) {
      const opened = await openStream(call, tried, flight);
      if ("error" in opened) return { error: refusal(chosen.channel.provider, opened.error) };
      flight.noteAttempt(chosen, begun, undefined);
      const type = streamType(call.request);
      return { kind: "stream", headers: { ...headers, "content-type": type }, frames: opened.frames };
    }
    if (call.background === true) {
      const taken = await takeOn(services, call, chosen, flight, { response: tried.response, begun });
      if ("error" in taken) return taken;
      return { kind: "body", headers, body: taken.body };
    }
    const read = await readBody(call, tried);
    if ("error" in read) return { error: refusal(chosen.channel.provider, read.error) };
    flight.firstByteAt ??= now();
    flight.noteAttempt(chosen, begun, undefined);
    if ("large" in read) {
      const { large: response, upstream } = read;
      const reader = createJsonReader(upstream.scanResponse(), { isStrict: true });
      return {
        kind: "bytes",
        headers: { ...headers, ...jsonHeaders(response) },
        chunks: await primed(passBytes({ chosen, flight, response, reader })),
      };
    }
    await flight.settle({ outcome: "complete", vendor: read.usage, delivered: read.tally });
    await finish(call, flight, read.body);
    return { kind: "body", headers, body: read.body };
  } catch (error) {
    return { error: transportFailure(error) };
  }
}

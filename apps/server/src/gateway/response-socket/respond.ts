import { randomBytes, randomUUIDv7 } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Dialect } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent } from "#dialects/ir.ts";
import { createFrameSplitter, formatFrame } from "#dialects/stream/sse.ts";
import type { Pin } from "#domain/tokens/callers.ts";
import { internalError } from "#errors.ts";
import { admit } from "#gateway/access/admit.ts";
import { authenticate, maxPriceOf, requirePinRights } from "#gateway/access/endpoint.ts";
import { decodeBody } from "#gateway/body/decode-body.ts";
import { bodyMemory, type JsonBody } from "#gateway/body/json-body.ts";
import { chatCall } from "#gateway/chat/chat.ts";
import { isOurFault, toGatewayError } from "#gateway/http/to-gateway-error.ts";
import { addRepeatedFields } from "#gateway/responses/repeated.ts";
import { responseTurn } from "#gateway/responses/response-turn.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { now } from "#platform/clock.ts";
import type { MessageSocket } from "#platform/http/web-socket.ts";
import { relayChat } from "#relay/chat/chat.ts";
import type { Answer } from "#relay/core/call.ts";
import { piecesOf } from "#relay/core/response/text-stream.ts";
import type { ResponseSockets } from "#relay/core/upstream/response-sockets.ts";
import type { CreatedResponse } from "./connection.ts";
import { errorEvent } from "./error-event.ts";
import type { History } from "./history.ts";
import { type Create, toHistoryEntry, toWarmUpEntry } from "./read-event.ts";

/** One response of a connection: the equivalent HTTP call, with one message per event of its stream. */
const MEMORY_WAIT_MS = 30_000;

/** Errors within a stream have the same shape as those before it. */
const client: Dialect = {
  ...dialects["openai-responses"],
  encodeStreamError: (error, requestId) =>
    formatFrame({ event: "error", data: errorEvent(error, requestId) }),
};

interface From {
  services: GatewayServices;
  request: FastifyRequest;
  socket: MessageSocket;
  endpoint: string;
  /** The client's connections to providers. */
  sockets: ResponseSockets;
}

export async function respond(
  from: From,
  { event, history, signal, release }: CreatedResponse,
): Promise<void> {
  const { services, request, socket } = from;
  // The key may have been disabled, or expired, since the connection was opened.
  const known = await authenticate(services, request);
  requirePinRights(request, known);
  const startedAt = now();
  const memory = await services.relay.memory.acquire(bodyMemory(event.bytes), {
    owner: `user${known.caller.userId}`,
    timeoutMs: MEMORY_WAIT_MS,
  });
  const requestId = randomUUIDv7();
  try {
    const { json, continued } = event.readWhole();
    release();
    if (!event.generates) return await warmUp(from, { event, json, history });
    const pin = homeOf(services, event, known.pin);
    const { raw, body, turn, serve, answered } = await responseTurn(services, client, json, {
      ...known,
      pin,
    });
    const { finished } = turn;
    const withKept: typeof turn = {
      ...turn,
      sockets: from.sockets,
      continued,
      async finished(end, chosen) {
        const made = toHistoryEntry(event, end, chosen);
        if (made !== undefined) await history.keep(made.id, made.kept);
        await finished?.(end, chosen);
      },
    };
    // Each response is a call of its own in the client's trace.
    const trace = services.relay.tracing?.begin(request.headers);
    const maxPrice = maxPriceOf(services, request);
    const access = { requestId, trace, ip: request.ip, startedAt, maxPrice, memory, signal, ...known };
    const { endpoint } = from;
    const given = { endpoint, client, body, raw, turn: withKept };
    const { call } = await admit(services, chatCall(services, access, given, request));
    const answering = serve === undefined ? relayChat(services.relay, call) : serve(call);
    const answer = await (answered?.(answering) ?? answering);
    const { previous } = event;
    await pass(
      socket,
      signal,
      previous === undefined ? answer : addRepeatedFields(answer, { previous_response_id: previous.id }),
    );
  } catch (error) {
    if (isOurFault(toGatewayError(error))) request.log.error({ err: error }, "call failed");
    throw error;
  } finally {
    memory.release();
  }
}

/**
 * Returns the pin. Items that only one provider can read pin the call there, if the model is the same and the
 * channel exists.
 */
function homeOf(
  { relay }: GatewayServices,
  { model: requested, previous }: Create,
  pin: Pin | undefined,
): Pin | undefined {
  const { home, model } = previous?.kept ?? {};
  if (home === undefined || model !== requested) return pin;
  return relay.candidates.byId(home.channel) === undefined ? pin : { ...pin, home };
}

/** Sends each event as fast as the client accepts it. When the client leaves, the bill is closed. */
async function pass(socket: MessageSocket, signal: CreatedResponse["signal"], answer: Answer): Promise<void> {
  if (answer.kind !== "stream") throw internalError(new Error("A response was not streamed."));
  const splitter = createFrameSplitter();
  for await (const piece of piecesOf(answer.stream)) {
    if (signal.aborted) break;
    for (const { frame } of splitter.push(Buffer.from(piece))) await sendEvent(socket, frame.data);
  }
  for (const { frame } of splitter.flush()) await sendEvent(socket, frame.data);
}

async function sendEvent(socket: MessageSocket, data: string): Promise<void> {
  if (data.startsWith("{")) await socket.send(data);
}

interface WarmUp {
  event: Create;
  json: JsonBody;
  history: History;
}

/** Keeps the input for the response that continues it. Nothing is generated, reserved or charged. */
async function warmUp({ socket }: From, { event, json, history }: WarmUp): Promise<void> {
  const chat = decodeBody(client, json, {});
  const id = `resp_${randomBytes(24).toString("hex")}`;
  const encoder = client.encodeStream(chat);
  const events: ChatEvent[] = [
    { type: "start", id, model: chat.model },
    { type: "stop", choice: 0, reason: "stop" },
    { type: "finish", usage: { input: 0, output: 0 } },
  ];
  await history.keep(id, toWarmUpEntry(event));
  const text = events.map((each) => encoder(each).text).join("");
  for (const { frame } of createFrameSplitter().push(Buffer.from(text))) await sendEvent(socket, frame.data);
}

import { setTimeout as sleep } from "node:timers/promises";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import { TransportError } from "#platform/http/transport-error.ts";
import type { SocketMessage, MessageSocket } from "#platform/http/web-socket.ts";
import type { CallBill } from "#relay/core/billing/call-bill.ts";
import type { RoutedCall } from "#relay/core/call.ts";
import { relaySession } from "#relay/core/exchange.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { FailedAttempt } from "#relay/core/upstream/ask.ts";
import { openSocket } from "#relay/core/upstream/send.ts";
import { RealtimeBill } from "./realtime-bill.ts";
import { readServerEvent } from "./realtime-events.ts";
import { type RealtimeCall, RealtimeSession } from "./realtime-session.ts";

/**
 * Opens a realtime session. The provider is connected before the client's upgrade. Every rejection is thus a
 * normal response, and another channel can still be tried. Uses no HTTP server objects.
 */
export function relayRealtime(services: RelayServices, call: RealtimeCall): Promise<RealtimeSession> {
  return relaySession(services, call, (routed, bill) => open(services, routed, bill));
}

async function open(
  services: RelayServices,
  routed: RoutedCall<RealtimeCall>,
  callBill: CallBill,
): Promise<RealtimeSession | FailedAttempt> {
  const { target, planned } = routed;
  const call = planned.received;
  const { signal } = callBill.connection;
  const query = new URLSearchParams(call.query);
  query.set("model", target.upstreamModel);
  const answer = await openSocket(
    services,
    target,
    {
      method: "GET",
      path: `/v1/realtime?${query.toString()}`,
      model: target.upstreamModel,
      headers: { ...call.forward, ...call.trace?.beginAttempt() },
      body: null,
      signal,
    },
    call.maxMessage,
  );
  if (!("socket" in answer)) return { error: refusalOf(answer.status, answer.text, answer.headers) };
  const timeoutMs = target.channel.firstByteTimeoutMs || services.settings.current().FirstByteTimeoutMs;
  const messages = answer.socket.messages();
  const first = await firstOf(messages, answer.socket, timeoutMs, abortSignalOf(signal));
  if ("error" in first) return first;
  callBill.route(routed);
  callBill.attempts.add(routed, callBill.connection, undefined);
  call.trace?.beginSession();
  const bill = new RealtimeBill(services, { routed, first: callBill, admit: call.admit });
  // The slot at the channel belongs to the session, not to its first response.
  const slot = callBill.connection.takeSlot();
  const session = new RealtimeSession({
    services,
    call,
    target,
    bill,
    providerSocket: answer.socket,
    messages,
    first,
    leave: () => slot?.leave(),
  });
  callBill.connection.handOver();
  return session;
}

/** Returns the first message. Some providers open every socket and send a rejection afterwards. */
async function firstOf(
  messages: AsyncGenerator<SocketMessage, void, undefined>,
  socket: MessageSocket,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<SocketMessage | { error: UpstreamError }> {
  const timer = new AbortController();
  const patience = AbortSignal.any([timer.signal, signal]);
  const late = sleep(timeoutMs, undefined, { signal: patience }).catch(() => undefined);
  const next = await Promise.race([messages.next(), late]);
  timer.abort();
  if (next === undefined) {
    socket.close(1000, "");
    if (signal.aborted) throw new TransportError("aborted", "The call was cancelled.");
    throw new TransportError("timeout", "The provider opened the session and sent nothing.");
  }
  if (next.done === true) throw new TransportError("network", "The upstream closed the session at once.");
  const text = next.value.data.toString("utf8");
  const event = readServerEvent(text);
  if (event.kind !== "error") return next.value;
  socket.close(1000, "");
  return { error: dialects["openai-chat"].decodeError(0, text, {}) };
}

function refusalOf(
  status: number,
  text: string,
  headers: Record<string, string | string[] | undefined>,
): UpstreamError {
  const error = dialects["openai-chat"].decodeError(status, text, headers);
  // The URL responds, but not as a WebSocket. Another channel may work.
  return status < 400 ? { ...error, kind: "server" } : error;
}

/**
 * Responses that a provider continues in the background. Bill and reservation belong to no node: every node
 * polls providers when a bill is due. The first one that sees the end, by polling or for a caller, closes the
 * bill. Does not depend on who sends a request.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptNote, PausedChannel } from "@gateway/shared/usage/log";
import { dialects } from "#dialects/index.ts";
import { withoutNegativeCounts } from "#dialects/usage/negative-counts.ts";
import { parseRecord } from "#dialects/wire.ts";
import { chooseKey, type ActiveChannel } from "#domain/channels/selection/active-channel.ts";
import { GatewayError } from "#errors.ts";
import { type Activity, startPeriodicTask } from "#platform/activity.ts";
import { currentTime, now } from "#platform/clock.ts";
import type { UpstreamResponse } from "#platform/http/exchange.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";
import type { BackgroundResponse } from "#platform/prisma/client.ts";
import { finish } from "#relay/chat/body.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import type { PlannedCall, PricingTerms, ReceivedCall, RoutedCall } from "#relay/core/call.ts";
import { unreadableError, wholeText } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { attempt, type FailedAttempt } from "#relay/core/upstream/ask.ts";
import { scrubErrorBody } from "#relay/core/upstream/scrub.ts";

const LOOK_MS = 1_000;
const RESTING_MS = 60_000;
/** Maximum number of bills that one node polls at a time. */
const MOST_AT_ONCE = 50;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** After this time, the response is cancelled at the provider. */
const DEADLINE_MS = 3_600_000;
/** After this time, the bill is closed even without a result, and the response can no longer be read. */
const GIVE_UP_MS = 24 * 3_600_000;
/** Time for which an unknown response is polled again: a provider's replica may lag behind. */
const MISSING_MS = 5_000;
const MISSING_PAUSE_MS = 2_500;
const TIMEOUT_MS = 30_000;
const MAX_BODY_BYTES = 64 * 1024 * 1024;
const HANDOVER_TRIES = 3;
/** Maximum length of a provider's id, in characters. */
const LONGEST_ID = 200;
const { decodeError } = dialects["openai-responses"];

/** The part of a call that its bill needs, as it is stored. Plain JSON. */
interface StoredCall {
  call: Omit<ReceivedCall, "signal" | "pin">;
  served: PricingTerms;
  attempts: readonly AttemptNote[];
  paused: readonly PausedChannel[];
  firstByteAt?: number | undefined;
  reportedTier?: string | undefined;
}

/**
 * Handles the provider's first response. Closes the bill if it is already complete; otherwise any node closes
 * it later.
 */
export async function startBackground(
  services: RelayServices,
  response: UpstreamResponse,
  routed: RoutedCall<ChatCall>,
  bill: CallBill,
): Promise<{ body: string } | FailedAttempt> {
  const body = await wholeText(response, MAX_BODY_BYTES, routed.planned.received.memory);
  const { id } = parseRecord(body) ?? {};
  if (typeof id !== "string" || id === "" || id.length > LONGEST_ID)
    return { error: unreadableError(response.status) };
  bill.accept(routed);
  if (hasEnded(body)) await settle(bill, routed, body);
  else await handOver(services, routed, bill, id);
  await finish(routed, bill, body);
  return { body: scrubErrorBody(withoutNegativeCounts(body), routed.target) };
}

/**
 * Must be called with a provider's response before the client may read it: if the response has ended, closes
 * the bill first. Throws when the bill cannot be closed, or when the text does not contain the status.
 */
export async function closeBefore(
  services: RelayServices,
  { id, userId }: { id: string; userId: number },
  text: string,
): Promise<void> {
  const bills = await services.background.ofResponse(id, userId);
  if (bills.length === 0) return;
  if (statusOf(text) === undefined)
    throw new GatewayError("upstream_failed", { reason: "response_state_unknown" });
  if (!hasEnded(text)) return;
  for (const bill of bills) await close(services, bill, text);
}

/** Must be called before a response is deleted: cancels it if it is still running, and closes its bill. */
export async function endBefore(
  services: RelayServices,
  { id, userId }: { id: string; userId: number },
): Promise<void> {
  for (const bill of await services.background.ofResponse(id, userId)) {
    const text = await endOf(services, bill, true);
    if (text === undefined || text === null)
      throw new GatewayError("upstream_failed", { reason: "response_not_cancelled" });
    await close(services, bill, text);
  }
}

/** Polls providers for open bills until closed. `close` waits for running polls. */
export function followBackground(services: RelayServices, activity: Activity): { close(): Promise<void> } {
  const asking = new Set<Promise<void>>();

  async function look(): Promise<void> {
    const free = MOST_AT_ONCE - asking.size;
    if (free <= 0) return;
    for (const bill of await services.background.claim(free)) {
      activity.touch();
      const requested: Promise<void> = follow(services, bill, !bill.usable)
        .catch(services.onError)
        .finally(() => asking.delete(requested));
      asking.add(requested);
    }
  }

  const times = { everyMs: LOOK_MS, restingMs: RESTING_MS };
  const task = startPeriodicTask(activity, times, () => look().catch(services.onError));
  return {
    async close() {
      await task.close();
      await Promise.all(asking);
    },
  };
}

async function follow(services: RelayServices, bill: BackgroundResponse, revoked: boolean): Promise<void> {
  const age = now() - bill.created_time.getTime();
  let text = await endOf(services, bill, revoked || age > DEADLINE_MS);
  const isMissing = text === null;
  const missedFor = now() - (bill.missing_since?.getTime() ?? now());
  if ((isMissing && missedFor >= MISSING_MS) || (text === undefined && age > GIVE_UP_MS)) text = "";
  if (text === undefined || text === null) {
    const pause = isMissing
      ? MISSING_PAUSE_MS
      : Math.min(Math.max(age / 2, FIRST_PAUSE_MS), LONGEST_PAUSE_MS);
    return services.background.postpone(bill.request_id, Math.ceil(pause), isMissing);
  }
  // Without its end it was not charged in full, so it must not be readable later.
  if (text === "") await services.background.withdraw(bill.response_id, bill.user_id);
  await close(services, bill, text);
}

/**
 * Returns the provider's final text of a response; "" when its channel was deleted, null when the provider
 * does not know the response, undefined when it has not ended.
 * @param cancel whether to cancel a response that has not ended
 */
async function endOf(
  services: RelayServices,
  bill: BackgroundResponse,
  cancel: boolean,
): Promise<string | null | undefined> {
  const channel = await services.storedChannel(bill.channel_id);
  if (channel === "deleted") return "";
  if (channel === undefined) return undefined;
  const id = encodeURIComponent(bill.response_id);
  const value = await ask(services, bill, channel, "GET", id);
  if (value !== undefined || !cancel) return value;
  // It may end during the cancellation. The provider then rejects that, and the next request returns the end.
  return (
    (await ask(services, bill, channel, "POST", `${id}/cancel`)) ??
    (await ask(services, bill, channel, "GET", id))
  );
}

/** Returns values as `endOf` does. */
async function ask(
  services: RelayServices,
  bill: BackgroundResponse,
  channel: ActiveChannel,
  method: "GET" | "POST",
  below: string,
): Promise<string | null | undefined> {
  const key = chooseKey(channel, services.random(), { pinned: bill.channel_key_id ?? undefined });
  const { call, served } = storedIn(bill);
  let memory: MemoryAllocation | undefined;
  try {
    memory = await services.memory.acquire(0, { owner: "background" });
    const model = served.upstreamModel || call.model;
    const requested = await attempt(
      services,
      { channel, key, upstreamModel: model },
      {
        encode: () => ({
          request: {
            method,
            path: `/v1/responses/${below}`,
            model,
            dialect: "openai-responses",
            headers: { accept: "application/json" },
            body: null,
          },
          decodeError,
        }),
        read: async (response) => ({ text: await wholeText(response, MAX_BODY_BYTES, memory) }),
      },
      { signal: AbortSignal.timeout(TIMEOUT_MS) },
    );
    if ("error" in requested) return requested.error.status === 404 && method === "GET" ? null : undefined;
    return hasEnded(requested.text) ? requested.text : undefined;
  } catch {
    // The memory budget has no room for the response now.
    return undefined;
  } finally {
    memory?.release();
  }
}

function statusOf(text: string): unknown {
  return parseRecord(text)?.["status"];
}

function hasEnded(text: string): boolean {
  const status = statusOf(text);
  return status !== undefined && status !== "queued" && status !== "in_progress";
}

async function handOver(
  services: RelayServices,
  routed: RoutedCall,
  bill: CallBill,
  id: string,
): Promise<void> {
  const { received } = routed.planned;
  const { channel, key } = routed.target;
  const open = {
    request_id: received.requestId,
    response_id: id,
    user_id: received.caller.userId,
    token_id: received.caller.tokenId,
    channel_id: channel.id,
    channel_key_id: key?.id ?? null,
    call: JSON.stringify(storable(routed, bill)),
  };
  for (let tries = 1; ; tries += 1) {
    try {
      // `handOver` is safe to repeat: a statement whose result was lost may have taken effect.
      await services.background.handOver(open);
      break;
    } catch (error) {
      const isRefused = error instanceof GatewayError;
      if (!isRefused && tries < HANDOVER_TRIES) {
        await sleep(LOOK_MS);
        continue;
      }
      // No node would learn of its end, so cancel it.
      const stored = {
        ...open,
        created_time: currentTime(),
        poll_at: currentTime(),
        missing_since: null,
      };
      await ask(services, stored, channel, "POST", `${encodeURIComponent(id)}/cancel`);
      throw error;
    }
  }
  services.ledger.forgetCall(received.requestId);
  bill.leaveOpen();
}

function storable(
  { planned: { received, model, plan }, target }: RoutedCall,
  { attempts, reportedTier }: CallBill,
): StoredCall {
  const { requestId, startedAt, caller, ip, endpoint, needs, stream, tools, kind, calls } = received;
  const { channel: _channel, key: _key, ...served } = target;
  return {
    call: {
      requestId,
      startedAt,
      caller,
      ip,
      endpoint,
      needs,
      model,
      stream,
      tools,
      estimate: plan.estimate,
      calls,
      ...(kind !== undefined && { kind }),
    },
    served,
    attempts: attempts.notes,
    paused: attempts.paused,
    firstByteAt: attempts.firstByteAt,
    reportedTier,
  };
}

function storedIn(bill: BackgroundResponse): StoredCall {
  // `storable` wrote this.
  return JSON.parse(bill.call) as StoredCall;
}

/**
 * Closes a bill, unless another node already has. Throws when the charge could not be written; the bill then
 * stays open.
 */
async function close(services: RelayServices, open: BackgroundResponse, text: string): Promise<void> {
  const { call, served, attempts: notes, paused, firstByteAt, reportedTier } = storedIn(open);
  const received: ReceivedCall = { ...call, pin: undefined, signal: new AbortController().signal };
  const { model, estimate } = received;
  const plan = { routeGroups: [], prices: new Map(), worstCase: 0n, estimate };
  const planned: PlannedCall = { received, model, plan };
  const bill = new CallBill(services, received, true);
  const channel = await services.storedChannel(open.channel_id);
  bill.restore(planned, { notes, paused, firstByteAt }, reportedTier);
  if (channel === undefined || channel === "deleted")
    await bill.fail(new GatewayError("upstream_failed", { reason: "response_channel_deleted" }));
  else {
    const routed = { planned, target: { ...served, channel, key: undefined }, startedAt: received.startedAt };
    await settle(bill, routed, text).catch((error: unknown) => {
      if (!(error instanceof GatewayError && error.code === "reservation_lost")) throw error;
    });
  }
  await services.background.closed(open.request_id);
}

/**
 * Charges the provider's usage. Without usage, a failed response is free, and an abandoned one is charged as
 * if its client had left.
 */
async function settle(bill: CallBill, routed: RoutedCall, text: string): Promise<void> {
  const { usage, tally } = dialects["openai-responses"].skimResponse(text);
  const status = statusOf(text);
  if (usage === undefined && status === "failed") {
    bill.route(routed, bill.reportedTier);
    return bill.fail(new GatewayError("upstream_failed", { reason: "upstream_incomplete" }));
  }
  const isWhole = usage !== undefined || status === "completed" || status === "incomplete";
  await bill.settle({
    routed,
    outcome: isWhole ? "complete" : "client-left",
    reported: usage,
    delivered: tally,
  });
}

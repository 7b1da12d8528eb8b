import { parseExact } from "#dialects/json/parse-json.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import type { RememberedAnswer } from "#domain/answers/answer-cache.ts";
import { type ActivePrice, computeBill, shareOf } from "#domain/pricing/pricing.ts";
import { now } from "#platform/clock.ts";
import type { Endpoint } from "#providers/provider.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import { openShare } from "#relay/core/billing/reserve.ts";
import type { Answer, BilledUsage, CachedCall, ReceivedCall } from "#relay/core/call.ts";
import { planCall } from "#relay/core/routing/plan.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { tapPieces } from "./pieces.ts";
import { streamText, tapText } from "./text-stream.ts";

/**
 * Cached responses: the same request of the same token gets its earlier response without a provider request.
 * The charge is the operator's share of the current cost of the provider's response. Rights, limits,
 * reservation and log work as for any call.
 */
export interface ResponseCache {
  /** Returns the cached response; undefined when there is none. Throws the errors that reject any call. */
  answer(): Promise<Answer | undefined>;
  /** Returns the provider's response, which is cached once it is complete. */
  keep(answer: Answer): Answer;
  /** Receives the bill of the provider's response. */
  billed(billed: BilledUsage): void;
}

type CacheableCall = ReceivedCall & {
  forward?: Record<string, string>;
  request?: { jsonArrayStream?: boolean };
  stateful?: boolean;
};

/** Endpoints with a single text response that clients expect to be repeatable. */
const lasting: ReadonlySet<Endpoint> = new Set([
  "chat",
  "completions",
  "embeddings",
  "rerank",
  "moderations",
]);

/** Opens the cache for a call of a token that uses it. Returns undefined when the response must not be cached. */
export function openResponseCache(services: RelayServices, call: CacheableCall): ResponseCache | undefined {
  const { raw } = call;
  const { tool_streams } = call.caller.setting.cache;
  if (raw === undefined || call.stateful === true || !lasting.has(call.needs)) return undefined;
  if (call.pin?.only !== undefined || call.pin?.never !== undefined) return undefined;
  if (call.stream && call.tools && !tool_streams) return undefined;
  const { AnswerCacheMinutes, AnswerCacheKilobytes, AnswerCachePercent } = services.settings.current();
  if (AnswerCacheMinutes === 0) return undefined;
  const request = requestText(call, raw);
  if (request === undefined) return undefined;
  const longest = AnswerCacheKilobytes * 1_024;
  let bill: BilledUsage | undefined;

  function remember(kind: RememberedAnswer["kind"], headers: Record<string, string>, text: string): void {
    if (bill?.outcome !== "complete" || Buffer.byteLength(text) > longest || request === undefined) return;
    // A response that a low balance has shortened is not the response to this request.
    if (bill.isLimited) return;
    const { usage, terms } = bill;
    const { raw: _raw, ...counts } = usage;
    const { "x-upstream-request-id": _id, ...lastingHeaders } = headers;
    const { group, billedModel, upstreamModel } = terms;
    const made = { usage: counts, group, billedModel, upstreamModel, madeAt: now() };
    services.answers.keep(request, { kind, headers: lastingHeaders, text, ...made }, AnswerCacheMinutes * 60);
  }

  return {
    async answer() {
      const found = call.fresh === true ? undefined : await services.answers.find(request);
      return found === undefined ? undefined : serveFromCache(services, call, found, AnswerCachePercent);
    },
    billed(billed) {
      bill = billed;
    },
    keep(answer) {
      const headers = { ...answer.headers, "x-gateway-cache": "miss" };
      switch (answer.kind) {
        case "body":
          remember("body", answer.headers, answer.body);
          return { ...answer, headers };
        case "stream": {
          const done = (text: string) => remember("stream", answer.headers, text);
          return { ...answer, headers, stream: tapText(answer.stream, gatherText(longest, done)) };
        }
        case "bytes": {
          // A large JSON response. These endpoints pass nothing else as bytes.
          if (!isJson(answer)) return answer;
          const { "content-length": _length, ...lasting } = answer.headers;
          const done = (text: string) => remember("body", lasting, text);
          return { ...answer, headers, chunks: tapPieces<Buffer>(answer.chunks, gatherText(longest, done)) };
        }
      }
    },
  };
}

/** Returns the cache key: equal for requests that differ only in the order of their fields. */
function requestText(call: CacheableCall, raw: Buffer): string | undefined {
  const { caller, endpoint, model, stream, forward, request } = call;
  const from = [caller.userId, caller.tokenId, caller.group, caller.backupGroup, endpoint, model, stream];
  try {
    const body: unknown = parseExact(raw.toString("utf8"));
    return JSON.stringify([...from, request?.jsonArrayStream === true, forward ?? {}, body], inOrder);
  } catch {
    // Too deeply nested to sort. Such a request is not cached.
    return undefined;
  }
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function serveFromCache(
  services: RelayServices,
  call: ReceivedCall,
  found: RememberedAnswer,
  percent: number,
): Promise<Answer | undefined> {
  const bill = new CallBill(services, call);
  let cached: CachedCall | undefined;
  try {
    cached = cachedCall(services, call, found, percent);
    // The group or the price no longer exists, so the provider is called again.
    if (cached === undefined) return undefined;
    bill.serveCached(cached);
    const { planned } = cached;
    const { share } = await openShare(services, call, planned.plan.worstCase);
    await bill.reserve(share === undefined ? planned : { ...planned, sessionShare: share });
    bill.attempts.receiveByte();
    await bill.settle({
      routed: cached,
      outcome: "complete",
      reported: found.usage,
      delivered: emptyTally(),
    });
  } catch (error) {
    await bill.fail(error);
    throw error;
  }
  const age = String(Math.max(0, Math.floor((now() - found.madeAt) / 1_000)));
  const headers = { ...found.headers, "x-gateway-cache": "hit", age };
  return found.kind === "body"
    ? { kind: "body", headers, body: found.text }
    : { kind: "stream", headers, stream: streamText(found.text) };
}

/** Returns the call with the terms of the cached response, at current prices and rights. */
function cachedCall(
  services: RelayServices,
  call: ReceivedCall,
  { group, billedModel, upstreamModel, usage }: RememberedAnswer,
  percent: number,
): CachedCall | undefined {
  const planned = planCall(services, call);
  const { routeGroups, prices } = planned.plan;
  const routeGroup = routeGroups.find((each) => each.group === group);
  const price: ActivePrice | undefined = prices.get(billedModel);
  if (routeGroup === undefined || price === undefined) return undefined;
  const groupRatio = shareOf(routeGroup.ratio, percent);
  const terms = { group, backup: routeGroup.backup, groupRatio, upstreamModel, billedModel, price };
  // The charge is known, so that nothing else is reserved.
  const worstCase = computeBill(price, groupRatio, usage, call.calls).points;
  const plan = { ...planned.plan, worstCase, estimate: call.estimate };
  return { planned: { ...planned, plan }, terms };
}

function isJson({ headers, status = 200 }: Extract<Answer, { kind: "bytes" }>): boolean {
  return status === 200 && (headers["content-type"] ?? "").startsWith("application/json");
}

/** Gathers the response's text. Calls `done` with it after the last piece, unless it is too long. */
function gatherText(longest: number, done: (text: string) => void) {
  let parts: Buffer[] = [];
  let size = 0;
  return {
    piece<Piece extends string | Buffer>(piece: Piece): Piece {
      if (size > longest) return piece;
      const bytes: Buffer = typeof piece === "string" ? Buffer.from(piece) : piece;
      size += bytes.length;
      parts.push(bytes);
      if (size > longest) parts = [];
      return piece;
    },
    whole() {
      if (size <= longest) done(Buffer.concat(parts).toString("utf8"));
    },
  };
}

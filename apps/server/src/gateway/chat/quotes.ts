/** Quotes: `POST /v1/quote` returns a price that a call will not exceed, and `x-quote-id` makes the call at this price. */
import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { claimQuote, createQuote, releaseQuote } from "#domain/quotes/quotes.ts";
import { forbidden, GatewayError, invalidRequest } from "#errors.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { unixTime } from "#platform/clock.ts";
import type { ChatCall } from "#relay/chat/chat-call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import { planQuote } from "#relay/core/routing/plan.ts";

/** The path of a chat endpoint stands behind it. */
export const QUOTE_PATH = "/v1/quote";
/** Names the quote at whose price a call is made. */
export const QUOTE_HEADER = "x-quote-id";
const idForm = /^quote_[\w-]{1,32}$/;
const microdollars = 1_000_000;

/** Answers a request for a quote that does not name its endpoint. */
export function quoteRoutes(app: FastifyInstance): void {
  app.post(QUOTE_PATH, async () => {
    throw invalidRequest({ reason: "quote_endpoint_unknown" }, { param: "endpoint" });
  });
}

interface QuotedTurn {
  readonly call: ChatCall;
  /** It leads to other calls, whose number is not known. */
  readonly leadsToCalls: boolean;
}

/** Answers with the price that the call of this request will not exceed. */
export async function answerQuote(
  { relay, db }: Pick<GatewayServices, "relay" | "db">,
  { call, leadsToCalls }: QuotedTurn,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  requireQuotes(relay, call);
  requireKnownPrice(call, leadsToCalls);
  const { model, plan } = planQuote(relay, { ...call, canLimitOutput: true });
  const { input, output, mostInput } = plan.estimate;
  const { caller } = call;
  const quoted = {
    userId: caller.userId,
    tokenId: caller.tokenId,
    requestHash: hashOf(call, request),
    model: model.slice(0, MAX_MODEL),
    amount: plan.worstCase,
    input: Math.max(input, mostInput?.input ?? 0),
    output,
  };
  const { QuoteSeconds: seconds, QuotesPerAccount: mostOpen, QuotaPerUnit } = relay.settings.current();
  const { id, expiresAt } = await createQuote(db, quoted, { seconds, mostOpen });
  await reply.send({
    id,
    object: "quote",
    model,
    price_usd: dollars(plan.worstCase, QuotaPerUnit),
    input_tokens: quoted.input,
    output_tokens: output,
    created_at: Math.floor(call.startedAt / 1_000),
    expires_at: unixTime(expiresAt),
  });
}

const MAX_MODEL = 160;

/** Throws `invalid_request` for a header on a request that cannot be made at a quoted price. */
export function refuseQuote({ headers }: FastifyRequest): void {
  if (headers[QUOTE_HEADER] !== undefined)
    throw invalidRequest({ reason: "quote_for_chat_only" }, { param: QUOTE_HEADER });
}

/** A call with its quote, and what to do when it fails before its response begins. */
interface QuotedCall {
  readonly call: ChatCall;
  failed(): void;
}

/**
 * Takes the quote that the request names. Throws `quote_not_valid`. A refused call is in the log.
 */
export async function takeQuote(
  { relay, database }: Pick<GatewayServices, "relay" | "database">,
  { call, leadsToCalls }: QuotedTurn,
  request: FastifyRequest,
): Promise<QuotedCall> {
  const id = request.headers[QUOTE_HEADER];
  const { requestId, caller } = call;
  try {
    if (typeof id !== "string" || !idForm.test(id))
      throw invalidRequest({ reason: "quote_id_form" }, { param: QUOTE_HEADER });
    requireQuotes(relay, call);
    requireKnownPrice(call, leadsToCalls);
    const use = { id, requestId, tokenId: caller.tokenId, requestHash: hashOf(call, request) };
    const quote = await claimQuote(database.pool, use);
    return {
      call: { ...call, quote },
      failed: () => void releaseQuote(database.pool, use).catch(relay.onError),
    };
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(relay, call, error);
    throw error;
  }
}

/** Throws `forbidden` where the operator has turned quotes off: everywhere, or for a group that may serve the call. */
function requireQuotes({ settings, groups }: GatewayServices["relay"], { caller }: ChatCall): void {
  if (!settings.current().QuotesEnabled) throw forbidden({ reason: "quotes_off" });
  for (const group of [caller.group, caller.backupGroup])
    if (groups.get(group)?.quotes === false) throw forbidden({ reason: "quotes_off_for_group", group });
}

/** Throws `invalid_request` for a call that the provider may make larger than its request shows. */
function requireKnownPrice({ estimate, background }: ChatCall, leadsToCalls: boolean): void {
  if (leadsToCalls || background === true || estimate.isUnseen === true)
    throw invalidRequest({ reason: "quote_impossible" });
}

/**
 * Returns the hash of the body, and of everything else in a request that its price depends on. A conversation that is stored
 * here can change, so the body with its items counts, too.
 */
function hashOf(call: ChatCall, request: FastifyRequest): Buffer {
  const { caller, client, model, pin, forward, helpsPromptCache, session } = call;
  const rest = [
    client.id,
    model,
    caller.group,
    caller.backupGroup,
    pin,
    forward ?? {},
    helpsPromptCache,
    session?.(),
  ];
  const { raw } = jsonBody(request);
  const hash = createHash("sha256").update(JSON.stringify(rest)).update("\0").update(raw);
  if (call.raw !== raw) hash.update("\0").update(call.raw);
  return hash.digest();
}

/** Returns an amount in US dollars with six decimals, rounded up. */
function dollars(points: bigint, perUsd: number): string {
  return (Math.ceil((Number(points) * microdollars) / perUsd - 1e-6) / microdollars).toFixed(6);
}

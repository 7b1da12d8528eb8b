import { type ChannelTestResult, cannotProbe } from "@gateway/shared/channels/channel";
import { sendableHeaders } from "@gateway/shared/channels/channel-headers";
import { reasonOf } from "@gateway/shared/reasons";
import { z } from "zod";
import { dialects } from "#dialects/index.ts";
import type { ChatRequest, DialectId, UpstreamError } from "#dialects/ir.ts";
import { parseSmall } from "#dialects/json/parse-json.ts";
import type { ChannelForTest } from "#domain/channels/channel-row.ts";
import { type ActiveChannel, type ActiveKey, mapModel } from "#domain/channels/selection/active-channel.ts";
import { parseMapping } from "#domain/channels/selection/load-channels.ts";
import { GatewayError, invalidRequest, upstreamFailed } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import { readModelList } from "#providers/model-list.ts";
import { dialectsFor } from "#providers/provider.ts";
import type { Providers } from "#providers/registry.ts";
import { readBody } from "#relay/chat/body.ts";
import { encodeChat } from "#relay/chat/encode-chat.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { type Attempt, attempt, type EncodedRequest } from "#relay/core/upstream/ask.ts";
import { asKeyFailure } from "#relay/core/upstream/key-evidence.ts";
import { errorForOperators } from "#relay/core/upstream/scrub.ts";
import { shapeOf } from "#relay/core/upstream/send.ts";
import { encodeAdapted, readAdapted } from "#relay/media/adapted.ts";
import { type ProbeQuestion, questionFor } from "./probe-question.ts";

/**
 * Requests of an administrator to a channel: does it respond, and what does it offer. They use the same path
 * as every call, without a caller and a bill.
 */
export type ProbeServices = Pick<RelayServices, "settings" | "upstream"> & {
  providers: Providers;
};

const PROBE_TIMEOUT_MS = 60_000;
const LIST_TIMEOUT_MS = 20_000;
const MAX_LIST_BYTES = 16 * 1024 * 1024;

/** Tests a channel from the console. The channel need not be stored yet. */
export function testChannel(
  services: ProbeServices,
  input: { channel: ChannelForTest; model: string },
): Promise<ChannelTestResult> {
  return probeChannel(services, asActiveChannel(services.providers, input.channel), input.model);
}

/** The gateway wrote the request, so it contains no phrase of a caller. */
const OURS = Buffer.alloc(0);

const costly: ProbeQuestion = { kind: "none", reason: reasonOf("testNotCheap") };

/**
 * Sends one short request that fits the model. A rejection is a result (`ok: false`), not an exception.
 * @param cheap skips models whose shortest response costs more than a few tokens
 */
export async function probeChannel(
  services: Omit<ProbeServices, "providers">,
  channel: ActiveChannel,
  model: string,
  cheap = false,
): Promise<ChannelTestResult> {
  const upstreamModel = mapModel(channel, model).upstream;
  const requested = questionFor(channel.provider, upstreamModel);
  const question = cheap && requested.kind === "plain" && requested.costly === true ? costly : requested;
  if (question.kind === "none")
    return {
      ok: false,
      model,
      duration: 0,
      message: question.reason.text,
      message_facts: question.reason.facts,
      fault: cannotProbe,
    };
  const begun = performance.now();
  const refused = await (question.kind === "chat"
    ? askChat(services, channel, upstreamModel, question.dialect)
    : askPlain(services, channel, upstreamModel, question));
  const { DisableChannelKeywords } = services.settings.current();
  const failed = refused && asKeyFailure(refused, DisableChannelKeywords, { raw: OURS, model });
  return {
    ok: failed === undefined,
    model,
    duration: Math.max(1, Math.round(performance.now() - begun)),
    message:
      failed === undefined ? "" : describe(errorForOperators(failed, { channel, key: channel.keys[0] })),
    // The message is the provider's.
    message_facts: [],
    fault: failed?.kind ?? "",
  };
}

async function askChat(
  services: Omit<ProbeServices, "providers">,
  channel: ActiveChannel,
  upstreamModel: string,
  preferred: DialectId | undefined,
): Promise<UpstreamError | undefined> {
  const spoken = dialectsFor(channel.provider, shapeOf(channel, { model: upstreamModel }));
  const dialect = preferred !== undefined && spoken.includes(preferred) ? preferred : spoken[0];
  const client = dialects[dialect];
  const request: ChatRequest = {
    model: upstreamModel,
    stream: false,
    messages: [{ role: "user", parts: [{ type: "text", text: "Say hi." }] }],
    maxOutputTokens: 64,
  };
  const { body } = client.encodeRequest(request);
  const raw = Buffer.from(JSON.stringify(body));
  const call = { client, body, raw, request, forward: {} };
  const target = { channel, key: channel.keys[0], upstreamModel };
  const read = await attempt(
    services,
    target,
    {
      encode: () => encodeChat(call, target, services.settings.current()),
      read: (response, sent) => readBody(call, { ...sent, response }),
    },
    { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) },
  );
  return "error" in read ? read.error : undefined;
}

async function askPlain(
  services: Omit<ProbeServices, "providers">,
  channel: ActiveChannel,
  model: string,
  { path, body }: { path: string; body: Record<string, unknown> },
): Promise<UpstreamError | undefined> {
  const to = { channel, key: channel.keys[0], upstreamModel: model };
  const text = JSON.stringify({ model, ...body });
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const adapter = channel.provider.adapters?.[path];
  try {
    const exchange: Attempt<object, EncodedRequest> = {
      encode: () =>
        adapter === undefined
          ? plainly(path, model, text)
          : encodeAdapted({ bodyFor: () => text }, to, adapter),
      async read(response) {
        const whole = adapter && (await readAdapted(response, to, adapter, undefined));
        return whole ?? { text: await response.text(MAX_LIST_BYTES) };
      },
    };
    const requested = await attempt(services, to, exchange, { signal });
    return "error" in requested ? requested.error : undefined;
  } catch (error) {
    // The adapter rejected our request.
    if (error instanceof GatewayError) return { kind: "bad-request", message: error.message, status: 0 };
    throw error;
  }
}

function plainly(path: string, model: string, body: string): EncodedRequest {
  const headers = { "content-type": "application/json", accept: "*/*" };
  return {
    request: { method: "POST", path, model, headers, body },
    decodeError: dialects["openai-chat"].decodeError,
  };
}

function describe(error: UpstreamError): string {
  const sentence = error.message.slice(0, 500);
  return error.status === 0 ? sentence : `HTTP ${error.status}: ${sentence}`;
}

/** Returns the model names that the provider lists, sorted. Throws a GatewayError with the cause. */
export async function fetchModels(services: ProbeServices, input: ChannelForTest): Promise<string[]> {
  const channel = asActiveChannel(services.providers, input);
  const { provider } = channel;
  if (provider.listing === "none") return [...provider.models].sort();
  const listing = provider.listing ?? { path: "/v1/models", read: readModelList };
  const answer = await askProvider(
    services,
    channel,
    { path: listing.path, ownPath: provider.listing !== undefined },
    "model_list_failed",
  );
  const names = readOr(() => (listing.read ?? readModelList)(answer));
  if (names === undefined) throw upstreamFailed({ reason: "model_list_foreign" });
  return [...new Set(names)].sort();
}

/**
 * Returns the balance of the provider's account; undefined when the provider does not report it. `estimated`:
 * computed from a limit and a usage that may cover different periods. Throws a GatewayError.
 */
export async function fetchBalance(
  services: ProbeServices,
  input: ChannelForTest,
  now = currentTime(),
): Promise<{ amount: number; currency: "USD" | "CNY"; estimated?: true } | undefined> {
  const channel = asActiveChannel(services.providers, input);
  const { balance } = channel.provider;
  if (balance === undefined) return undefined;
  if (balance === "openai-billing") return fetchBilling(services, channel, now);
  const answer = await askProvider(
    services,
    channel,
    { path: balance.path, ownPath: true },
    "balance_failed",
  );
  const left = readOr(() => balance.read(answer));
  if (left === undefined) throw unreadableBalance();
  return left;
}

const unreadableBalance = () => upstreamFailed({ reason: "balance_foreign" });

const Subscription = z.object({ hard_limit_usd: z.number(), has_payment_method: z.boolean().catch(false) });
/** Usage in hundredths of a dollar. */
const BilledUsage = z.object({ total_usage: z.number() });
const DAY_MS = 86_400_000;
/**
 * Days of usage to request for a prepaid account, which is charged for usage of any age; the longest allowed
 * range.
 */
const PREPAID_DAYS = 100;

async function fetchBilling(
  services: ProbeServices,
  channel: ActiveChannel,
  now: Date,
): Promise<{ amount: number; currency: "USD"; estimated: true } | undefined> {
  const path = "/v1/dashboard/billing";
  const answer = await askProvider(
    services,
    channel,
    { path: `${path}/subscription`, ownPath: true },
    "balance_failed",
    [404, 405, 501],
  );
  // Most servers that speak OpenAI's wire have no accounts.
  if (answer === undefined) return undefined;
  const subscription = Subscription.safeParse(answer).data;
  if (subscription === undefined) throw unreadableBalance();
  const today = now.toISOString().slice(0, 10);
  const start = subscription.has_payment_method
    ? `${today.slice(0, 7)}-01`
    : new Date(now.getTime() - PREPAID_DAYS * DAY_MS).toISOString().slice(0, 10);
  const range = `start_date=${start}&end_date=${today}`;
  const usage = await askProvider(
    services,
    channel,
    { path: `${path}/usage?${range}`, ownPath: true },
    "balance_failed",
  );
  const used = BilledUsage.safeParse(usage).data;
  if (used === undefined) throw unreadableBalance();
  const amount = subscription.hard_limit_usd - used.total_usage / 100;
  return { amount, currency: "USD", estimated: true };
}

/**
 * Sends a request to the provider itself, not to one of its models.
 * @param missing statuses that mean that the provider does not support this; returns undefined then
 */
async function askProvider(
  services: ProbeServices,
  channel: ActiveChannel,
  where: { path: string; ownPath: boolean },
  reason: "model_list_failed" | "balance_failed",
  missing: readonly number[] = [],
): Promise<unknown> {
  const [dialect] = dialectsFor(channel.provider, shapeOf(channel, {}));
  const requested = await attempt(
    services,
    { channel, key: channel.keys[0], upstreamModel: "" },
    {
      encode: () => ({
        request: {
          method: "GET",
          ...where,
          dialect,
          headers: { accept: "application/json" },
          body: null,
          timeoutMs: LIST_TIMEOUT_MS,
        },
        decodeError: (status) => ({ kind: "server", message: `HTTP ${status}.`, status }),
      }),
      read: async (response) => ({ text: await response.text(MAX_LIST_BYTES) }),
    },
    { signal: AbortSignal.timeout(LIST_TIMEOUT_MS) },
  );
  if (!("error" in requested)) return parseSmall(requested.text);
  if (missing.includes(requested.error.status)) return undefined;
  throw upstreamFailed({ reason, detail: requested.error.message });
}

/** Returns undefined when a provider's reader throws on an unknown format. */
function readOr<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function keysOf({ key, referenced }: ChannelForTest): ActiveKey[] {
  if (key === "") return [];
  return [{ id: 0, key, weight: 1, ...(referenced === undefined ? {} : { referenced }) }];
}

/** Returns a channel as typed in the console, in the form that the relay uses. */
export function asActiveChannel(providers: Providers, input: ChannelForTest): ActiveChannel {
  const provider = providers.get(input.type);
  if (provider === undefined) throw invalidRequest({ reason: "channel_type_unknown" }, { param: "type" });
  return {
    id: input.id,
    name: input.name,
    provider,
    baseUrl: input.base_url === "" ? provider.baseUrl : input.base_url,
    other: input.other,
    keys: keysOf(input),
    models: input.models,
    groups: input.groups,
    priority: input.priority,
    weight: input.weight,
    mapping: parseMapping(input.model_mapping),
    headers: sendableHeaders(input.model_headers),
    parameters: input.custom_parameter,
    disabledStream: new Set(input.disabled_stream),
    onlyChat: input.only_chat,
    preCost: input.pre_cost,
    compatibleResponse: input.compatible_response,
    proxy: input.proxy,
    plugin: input.plugin,
    testModel: input.test_model,
    autoDisable: false,
    sessionAffinity: false,
    cacheMarks: false,
    responsesWebSocket: false,
    allowExtraBody: input.allow_extra_body,
    logBodies: false,
    systemPrompt: input.system_prompt,
    systemPromptPlace: input.system_prompt_place,
    maxConcurrency: 0,
    connectTimeoutMs: input.connect_timeout_ms,
    firstByteTimeoutMs: input.first_byte_timeout_ms,
    idleTimeoutMs: input.idle_timeout_ms,
  };
}

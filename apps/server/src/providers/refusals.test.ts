import { describe, expect, it } from "vitest";
import { dialects } from "#dialects/index.ts";
import type { UpstreamError } from "#dialects/ir.ts";
import { refusal } from "./refusal.ts";
import { openProviders } from "./registry.ts";

/**
 * Errors as the providers document them (URLs in their definitions) or as users reported them. The
 * consequences of a kind (another channel, a pause or the end of the key) are decided elsewhere, by the kind
 * alone.
 */
type Case = [provider: string, status: number, body: object | string, kind: UpstreamError["kind"]];

const openai = (code: string | null, type = "invalid_request_error", message = "No.") => ({
  error: { message, type, param: null, code },
});

const credentialDead: Case[] = [
  ["openai", 401, openai("invalid_api_key"), "auth"],
  ["openai", 403, openai("unsupported_country_region_territory"), "auth"],
  ["anthropic", 401, { type: "error", error: { type: "authentication_error", message: "No." } }, "auth"],
  [
    "gemini",
    400,
    {
      error: {
        code: 400,
        message: "No.",
        status: "INVALID_ARGUMENT",
        details: [{ reason: "API_KEY_INVALID" }],
      },
    },
    "auth",
  ],
  ["azure", 401, { error: { code: "401", message: "No." } }, "auth"],
  ["deepseek", 401, openai("invalid_request_error", "authentication_error"), "auth"],
  ["zhipu", 401, { error: { code: "1000", message: "No." } }, "auth"],
  ["zhipu", 429, { error: { code: "1112", message: "No." } }, "auth"],
  ["ali", 401, openai("invalid_api_key"), "auth"],
  [
    "volcengine",
    401,
    { error: { code: "AuthenticationError", message: "No.", type: "Unauthorized" } },
    "auth",
  ],
  ["moonshot", 401, { error: { type: "invalid_authentication_error", message: "No." } }, "auth"],
  ["minimax", 200, { base_resp: { status_code: 2049, status_msg: "invalid api key" } }, "auth"],
  ["novita", 403, { code: 403, reason: "INVALID_API_KEY", message: "No." }, "auth"],
  [
    "xai",
    400,
    { code: "Client specified an invalid argument", error: "Incorrect API key provided: xa***9." },
    "auth",
  ],
  ["cohere", 401, { id: "1", message: "invalid api token" }, "auth"],
];

const balanceOut: Case[] = [
  ["cloudflare", 429, { success: false, errors: [{ code: 3036, message: "No." }] }, "quota"],
  ["openai", 429, openai("insufficient_quota", "insufficient_quota"), "quota"],
  ["openai", 429, openai("billing_hard_limit_reached"), "quota"],
  [
    "anthropic",
    400,
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "Your credit balance is too low to access the Anthropic API.",
      },
    },
    "quota",
  ],
  ["anthropic", 402, { type: "error", error: { type: "billing_error", message: "No." } }, "quota"],
  ["deepseek", 402, openai("invalid_request_error", "unknown_error", "Insufficient Balance"), "quota"],
  ["zhipu", 429, { error: { code: "1113", message: "No." } }, "quota"],
  ["ali", 400, openai("Arrearage", "Arrearage"), "quota"],
  ["volcengine", 403, { error: { code: "AccountOverdueError", message: "No.", type: "Forbidden" } }, "quota"],
  ["moonshot", 429, { error: { type: "exceeded_current_quota_error", message: "No." } }, "quota"],
  ["minimax", 200, { base_resp: { status_code: 1008, status_msg: "insufficient balance" } }, "quota"],
  ["siliconflow", 403, { code: 30001, message: "No.", data: null }, "quota"],
  ["stepfun", 402, openai(null, "insufficient_balance"), "quota"],
  ["novita", 403, { code: 403, reason: "NOT_ENOUGH_BALANCE", message: "No." }, "quota"],
  ["openrouter", 402, { error: { code: 402, message: "Insufficient credits" } }, "quota"],
  ["fireworks", 412, openai(null), "quota"],
  [
    "xai",
    403,
    {
      code: "The caller does not have permission",
      error: "You have run out of credits or need a Grok subscription.",
    },
    "quota",
  ],
  ["xunfei", 200, { error: { code: "11200", message: "No.", type: "api_error" } }, "quota"],
  ["minimax", 400, { error: { type: "bad_request_error", message: "insufficient balance (1008)" } }, "quota"],
  ["kling", 429, { code: 1102, message: "Account balance not enough", request_id: "1" }, "quota"],
];

const tooOften: Case[] = [
  ["openai", 429, openai("rate_limit_exceeded", "tokens"), "rate-limited"],
  ["anthropic", 429, { type: "error", error: { type: "rate_limit_error", message: "No." } }, "rate-limited"],
  ["gemini", 429, { error: { code: 429, message: "No.", status: "RESOURCE_EXHAUSTED" } }, "rate-limited"],
  ["zhipu", 429, { error: { code: "1302", message: "No." } }, "rate-limited"],
  ["ali", 429, openai("insufficient_quota", "insufficient_quota"), "rate-limited"],
  ["ali", 429, { code: "Throttling.RateQuota", message: "No.", request_id: "1" }, "rate-limited"],
  [
    "volcengine",
    429,
    { error: { code: "RateLimitExceeded.EndpointRPMExceeded", message: "No." } },
    "rate-limited",
  ],
  ["moonshot", 429, { error: { type: "rate_limit_reached_error", message: "No." } }, "rate-limited"],
  ["minimax", 200, { base_resp: { status_code: 1002, status_msg: "rate limit" } }, "rate-limited"],
  ["baidu", 429, openai("rpm_rate_limit_exceeded", "rate_limit_exceeded"), "rate-limited"],
  ["xunfei", 200, { error: { code: "11202", message: "No." } }, "rate-limited"],
  ["kling", 429, { code: 1303, message: "parallel task over resource pack limit" }, "rate-limited"],
  [
    "mistral",
    429,
    { object: "error", message: "No.", type: "rate_limit_exceeded", code: "1300" },
    "rate-limited",
  ],
];

const overloaded: Case[] = [
  ["cloudflare", 429, { success: false, errors: [{ code: 3040, message: "No." }] }, "overloaded"],
  [
    "anthropic",
    529,
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "overloaded",
  ],
  ["gemini", 503, { error: { code: 503, message: "No.", status: "UNAVAILABLE" } }, "overloaded"],
  ["zhipu", 429, { error: { code: "1305", message: "No." } }, "overloaded"],
  ["volcengine", 429, { error: { code: "ServerOverloaded", message: "No." } }, "overloaded"],
  ["moonshot", 429, { error: { type: "engine_overloaded_error", message: "No." } }, "overloaded"],
  ["groq", 498, openai("capacity_exceeded"), "overloaded"],
  ["deepseek", 503, openai(null), "overloaded"],
];

const callersOwn: Case[] = [
  ["huggingface", 400, { error: "Model not supported by provider" }, "bad-request"],
  [
    "mistral",
    422,
    { object: "error", message: "Extra inputs are not permitted", type: "invalid_request_error" },
    "bad-request",
  ],
  ["openai", 400, openai("context_length_exceeded"), "bad-request"],
  ["azure", 400, openai("content_filter"), "bad-request"],
  [
    "anthropic",
    400,
    { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } },
    "bad-request",
  ],
  ["anthropic", 413, { type: "error", error: { type: "request_too_large", message: "No." } }, "bad-request"],
  ["zhipu", 400, { error: { code: "1261", message: "No." } }, "bad-request"],
  ["zhipu", 400, { error: { code: "1301", message: "No." } }, "bad-request"],
  ["ali", 400, openai("data_inspection_failed", "data_inspection_failed"), "bad-request"],
  ["volcengine", 400, { error: { code: "InputTextRiskDetection", message: "No." } }, "bad-request"],
  ["moonshot", 400, { error: { type: "content_filter", message: "No." } }, "bad-request"],
  ["minimax", 200, { base_resp: { status_code: 1026, status_msg: "sensitive" } }, "bad-request"],
  ["together", 403, openai(null), "bad-request"],
  [
    "openrouter",
    403,
    { error: { code: 403, message: "flagged", metadata: { reasons: ["violence"] } } },
    "bad-request",
  ],
  ["baidu", 403, openai("system_unsafe", "unsafe_request"), "bad-request"],
  ["xunfei", 200, { error: { code: "10907", message: "No." } }, "bad-request"],
  ["kling", 400, { code: 1301, message: "No." }, "bad-request"],
];

const modelMissing: Case[] = [
  ["cloudflare", 403, { success: false, errors: [{ code: 5018, message: "No." }] }, "not-found"],
  ["cloudflare", 400, { success: false, errors: [{ code: 5007, message: "No." }] }, "not-found"],
  ["azure-databricks", 404, { error_code: "ENDPOINT_NOT_FOUND", message: "No." }, "not-found"],
  ["openai", 404, openai("model_not_found"), "not-found"],
  ["anthropic", 404, { type: "error", error: { type: "not_found_error", message: "No." } }, "not-found"],
  ["azure", 404, openai("DeploymentNotFound"), "not-found"],
  ["zhipu", 400, { error: { code: "1211", message: "No." } }, "not-found"],
  ["ali", 403, openai("Model.AccessDenied"), "not-found"],
  ["ali", 403, openai("AllocationQuota.FreeTierOnly"), "not-found"],
  ["volcengine", 404, { error: { code: "ModelNotOpen", message: "No." } }, "not-found"],
  ["volcengine", 403, { error: { code: "AccessDenied", message: "No." } }, "not-found"],
  ["moonshot", 404, { error: { type: "resource_not_found_error", message: "No." } }, "not-found"],
  ["siliconflow", 400, { code: 20012, message: "Model does not exist.", data: null }, "not-found"],
  ["siliconflow", 403, { code: 50603, message: "No." }, "not-found"],
  ["hunyuan", 402, openai(null), "not-found"],
  ["github", 403, openai("no_access"), "not-found"],
  ["nvidia", 410, "", "not-found"],
];

const providers = [...openProviders().values()];

function classify([providerName, status, body]: Case, headers: Record<string, string> = {}): UpstreamError {
  const provider = providers.find(({ id }) => id === providerName);
  if (provider === undefined) throw new Error(`There is no provider ${providerName}`);
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const error = dialects[provider.dialects[0]].decodeError(status, text, headers);
  return refusal(provider, error, headers);
}

describe.each([
  ["a dead credential", credentialDead],
  ["an empty account", balanceOut],
  ["too many calls", tooOften],
  ["an overloaded provider", overloaded],
  ["the caller's own mistake", callersOwn],
  ["a model that is not there", modelMissing],
])("%s", (_name, cases) => {
  it.each(cases)("is the kind that %s reports as %i %j", (...each) => {
    expect(classify(each).kind).toBe(each[3]);
  });
});

describe("the retry delay", () => {
  const limited: Case = ["openai", 429, openai("rate_limit_exceeded"), "rate-limited"];

  it.each([
    ["seconds", { "retry-after": "17" }, 17],
    ["milliseconds", { "retry-after-ms": "1500" }, 2],
    ["nonsense", { "retry-after": "soon" }, undefined],
  ])("is read from a header with %s", (_form, headers: Record<string, string>, seconds) => {
    expect(classify(limited, headers).retryAfter).toBe(seconds);
  });

  it("is read from a header with a date", () => {
    const until = Math.floor(Date.now() / 1_000) * 1_000 + 30_000;
    const { retryAfter } = classify(limited, { "retry-after": new Date(until).toUTCString() });
    expect(retryAfter).toBeLessThanOrEqual(30);
    expect(retryAfter).toBeGreaterThanOrEqual((until - Date.now()) / 1_000 - 1);
  });

  it("is read from the body where the provider sends it there", () => {
    const body = {
      error: { code: 429, message: "No.", status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "34.07s" }] },
    };
    expect(classify(["gemini", 429, body, "rate-limited"]).retryAfter).toBe(35);
  });
});

import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { formatFrame } from "#dialects/stream/sse.ts";
import { asRecord, parseRecord } from "#dialects/wire.ts";
import { claudeCacheMinimum, claudeLimits } from "#providers/models/claude-models.ts";
import { bedrockHost, hostLimits } from "#providers/models/messages-hosts.ts";
import { openaiLimits } from "#providers/models/openai-models.ts";
import {
  bearer,
  type RequestShape,
  CredentialError,
  type Outgoing,
  type Provider,
} from "#providers/provider.ts";
import { onChat, systemForDeveloper, withoutThoughts } from "#providers/quirks.ts";
import { signAws } from "#providers/signing/aws.ts";
import { converse } from "#providers/wires/converse/index.ts";
import { createMessageSplitter, type EventMessage } from "#providers/wires/event-stream.ts";

type Credential =
  | { region: string; token: string }
  | { region: string; accessKey: string; secretKey: string; sessionToken?: string };

function credentialOf(key: string): Credential {
  const [region = "", first = "", secretKey, sessionToken] = key.split("|");
  if (!/^[a-z0-9-]+$/.test(region) || first === "")
    throw new CredentialError(
      "The key of Bedrock has the form Region|APIKey or Region|AccessKeyID|SecretAccessKey|SessionToken.",
    );
  if (secretKey === undefined) return { region, token: first };
  return { region, accessKey: first, secretKey, ...(sessionToken ? { sessionToken } : {}) };
}

const hosted = hostLimits(bedrockHost);

const others = onChat(systemForDeveloper, openaiLimits, withoutThoughts);

/** Moves model and stream out of the body; Bedrock expects them in the URL. */
function adjust(body: Wire, call: RequestShape): Wire {
  if (call.dialect === undefined) return body;
  if (call.dialect !== "anthropic") return others(body, call);
  const { model: _model, stream: _stream, ...rest } = hosted(claudeLimits(body, call), call);
  return { anthropic_version: "bedrock-2023-05-31", ...rest };
}

/** Moves beta flags from the header to the body, where Bedrock reads them. */
function betasIntoBody(request: Outgoing): Outgoing {
  const { "anthropic-beta": betas, "anthropic-version": _version, ...headers } = request.headers;
  const body = betas === undefined || request.body === null ? undefined : parseRecord(String(request.body));
  if (betas === undefined || body === undefined) return { ...request, headers };
  const list = betas.split(",").map((beta) => beta.trim());
  return { ...request, headers, body: JSON.stringify({ anthropic_beta: list, ...body }) };
}

const errorTypes = lookupTable<string>({
  throttlingException: "rate_limit_error",
  serviceUnavailableException: "overloaded_error",
  modelTimeoutException: "timeout_error",
  modelNotReadyException: "overloaded_error",
  validationException: "invalid_request_error",
});

const Chunk = z.object({ bytes: z.base64() });

/**
 * Converts one message of the event stream to the server-sent event that it
 * contains, or to an error in Anthropic's format.
 */
function frameOf({ headers, payload }: EventMessage): string {
  const body = parseRecord(payload.toString("utf8"));
  if (headers[":message-type"] === "event") {
    const name = headers[":event-type"];
    if (name !== undefined && name !== "chunk")
      return formatFrame({ event: name, data: payload.toString("utf8") });
    const chunk = Chunk.safeParse(body);
    if (!chunk.success) return "";
    const data = Buffer.from(chunk.data.bytes, "base64").toString("utf8");
    const type = parseRecord(data)?.["type"];
    return formatFrame({ event: typeof type === "string" ? type : undefined, data });
  }
  const name = headers[":exception-type"] ?? headers[":error-code"] ?? "";
  const message = asRecord(body)?.["message"] ?? headers[":error-message"] ?? name;
  const error = { type: errorTypes[name] ?? "api_error", message };
  return formatFrame({ event: "error", data: JSON.stringify({ type: "error", error }) });
}

/**
 * Returns the wire format of a model: Anthropic's for Claude, OpenAI's for
 * OpenAI's open models, Converse for all others.
 */
function wireOf(model: string): "anthropic" | "openai-chat" | "converse" {
  if (model.includes("claude")) return "anthropic";
  return /(?:^|[./])openai\./.test(model) ? "openai-chat" : "converse";
}

/**
 * Exceptions of the runtime as AWS's own SDK declares them (aws-sdk-js-v3, client-bedrock-runtime), read
 * 2026-11-21. The exceptions of signatures are from memory.
 */
const refusals: Provider["refusals"] = {
  header: "x-amzn-errortype",
  kinds: {
    UnrecognizedClientException: "auth",
    InvalidSignatureException: "auth",
    ExpiredTokenException: "auth",
    IncompleteSignature: "auth",
    // Access is granted per model, so another model may work with the same key.
    AccessDeniedException: "not-found",
    ResourceNotFoundException: "not-found",
    ThrottlingException: "rate-limited",
    ServiceQuotaExceededException: "rate-limited",
    ModelNotReadyException: "overloaded",
    ModelTimeoutException: "timeout",
    ModelErrorException: "server",
    ValidationException: "bad-request",
  },
};

const Models = z.object({ modelSummaries: z.array(z.object({ modelId: z.string() })) });

/** https://docs.aws.amazon.com/bedrock/latest/userguide/apis.html, read 2026-11-21. */
export const bedrock: Provider = {
  type: 32,
  id: "bedrock",
  label: "Amazon Bedrock",
  group: "most-used",
  help: "provider-bedrock",
  baseUrl: "https://bedrock-runtime.{region}.amazonaws.com",
  dialects: ["anthropic", "openai-chat"],
  messages: bedrockHost,
  bytesOnly: ["anthropic", "openai-chat"],
  speaks: ({ model }) => (wireOf(model) === "anthropic" ? ["anthropic"] : ["openai-chat"]),
  wire: ({ model }) => (wireOf(model) === "converse" ? converse : undefined),
  refusals,
  endpoints: ["chat"],
  identity: { cloud: "aws" },
  keyHint: "Region|APIKey or Region|AccessKeyID|SecretAccessKey|SessionToken",
  models: [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "us.amazon.nova-2-lite-v1:0",
    "us.amazon.nova-pro-v1:0",
    "us.meta.llama4-maverick-17b-instruct-v1:0",
    "us.deepseek.r1-v1:0",
    "qwen.qwen3-235b-a22b-2507-v1:0",
    "openai.gpt-oss-120b-1:0",
  ],
  testModel: "us.anthropic.claude-haiku-4-5-20251001-v1:0",
  website: "https://console.aws.amazon.com/bedrock",
  // Bedrock counts tokens with another endpoint; our own count is sufficient.
  countsTokens: () => false,
  headers(key) {
    const credential = credentialOf(key);
    return bearer("token" in credential ? credential.token : "");
  },
  places: (key) => ({ region: credentialOf(key).region }),
  path({ dialect, model, stream }, standard) {
    if (dialect === undefined) return standard;
    if (dialect !== "anthropic") return `/openai${standard}`;
    return `/model/${encodeURIComponent(model)}/${stream ? "invoke-with-response-stream" : "invoke"}`;
  },
  cacheMarks: claudeCacheMinimum,
  adjustRequest: adjust,
  async sign(request, key, io) {
    const credential = credentialOf(key);
    const ready = betasIntoBody(request);
    return "token" in credential ? ready : signAws(ready, { ...credential, service: "bedrock" }, io.now());
  },
  unframe: {
    contentType: "application/vnd.amazon.eventstream",
    open() {
      const split = createMessageSplitter();
      return (chunk) => Buffer.from(split(chunk).map(frameOf).join(""));
    },
  },
  listing: {
    path: "https://bedrock.{region}.amazonaws.com/foundation-models",
    read: (answer) => Models.parse(answer).modelSummaries.map((model) => model.modelId),
  },
};

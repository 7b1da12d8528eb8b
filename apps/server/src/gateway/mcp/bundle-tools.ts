/** The tools of a bundle for one caller: their list, and calls of them. */
import type { CallToolResult, Progress, Tool } from "@modelcontextprotocol/sdk/types.js";
import type { ActiveBundle, ActiveServer } from "#domain/mcp/directory.ts";
import { isToolAllowed } from "#domain/mcp/tool-filter.ts";
import { isAllowedByDerivedKey } from "#domain/tokens/callers.ts";
import { GatewayError, invalidRequest, notFound } from "#errors.ts";
import type { Access } from "#gateway/access/access.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import type { ReceivedCall } from "#relay/core/call.ts";
import { noteRefusal } from "#relay/core/exchange.ts";
import type { SessionOwner } from "#relay/mcp/sessions.ts";
import { toolLogName, relayToolCall, toolCallEstimate } from "#relay/mcp/tool-call.ts";

const SEPARATOR = "__";
/** Tool calls at the same time, of a token, of an account and of this node. */
const MOST_CALLS_OF_TOKEN = 16;
const MOST_CALLS_OF_ACCOUNT = 64;
const MOST_CALLS = 128;
const AUTHORIZATION = "x-mcp-authorization-";

export interface BundleRequest {
  readonly access: Access;
  readonly bundle: ActiveBundle;
  /** Session of the client; "" without one. */
  readonly session: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Keys of this gateway in the request, which must not reach a server. */
  readonly keys: readonly string[];
}

interface ToolCall {
  readonly name: string;
  readonly args: Record<string, unknown> | undefined;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** The list of tools, and the servers whose tools it lacks, with the reason. */
export interface ListedTools {
  readonly tools: Tool[];
  readonly failures: Readonly<Record<string, string>>;
}

/**
 * Lists the tools of all servers, by their names for clients. Leaves out a server that fails; throws its error when no server
 * answers.
 */
export async function listBundleTools(
  services: GatewayServices,
  request: BundleRequest,
): Promise<ListedTools> {
  const { servers } = request.bundle;
  const outcomes = await Promise.allSettled(servers.map((server) => toolsOf(services, request, server)));
  const tools: Tool[] = [];
  const failures: Record<string, string> = {};
  let lastError: unknown;
  for (const [place, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") for (const tool of outcome.value) tools.push(tool);
    else {
      lastError = outcome.reason;
      failures[servers[place]?.name ?? ""] = toGatewayError(outcome.reason).message;
    }
  }
  if (lastError !== undefined && Object.keys(failures).length === servers.length) throw lastError;
  return { tools, failures };
}

async function toolsOf(
  { mcp }: GatewayServices,
  request: BundleRequest,
  server: ActiveServer,
): Promise<Tool[]> {
  const { access, bundle } = request;
  const tools = await mcp.sessions.run(ownerOf(request, server), abortSignalOf(access.signal), (session) =>
    session.tools(),
  );
  return tools
    .filter(({ name }) => isAllowedByDerivedKey(access.caller, toolLogName(server.name, name)))
    .map((tool) => ({ ...tool, name: server.name + SEPARATOR + tool.name }))
    .filter(({ name }) => isToolAllowed(name, bundle.filters));
}

/** Tool calls in progress, by `key<token>` and `user<account>`. */
const running = new Map<string, number>();
let runningAll = 0;

/** Calls a tool, and charges and logs the call. Throws a `GatewayError`. */
export async function callBundleTool(
  services: GatewayServices,
  request: BundleRequest,
  call: ToolCall,
): Promise<CallToolResult> {
  const { tokenId, userId } = request.access.caller;
  const limits = [
    [`key${tokenId}`, MOST_CALLS_OF_TOKEN, "mcp_calls_at_once"],
    [`user${userId}`, MOST_CALLS_OF_ACCOUNT, "mcp_account_calls_at_once"],
  ] as const;
  for (const [owner, most, reason] of limits)
    if ((running.get(owner) ?? 0) >= most)
      throw new GatewayError("rate_limit_exceeded", { reason, most }, { retryAfter: 1 });
  if (runningAll >= MOST_CALLS) throw new GatewayError("overloaded", {}, { retryAfter: 1 });
  for (const [owner] of limits) running.set(owner, (running.get(owner) ?? 0) + 1);
  runningAll += 1;
  try {
    return await callTool(services, request, call);
  } finally {
    runningAll -= 1;
    for (const [owner] of limits) {
      const left = (running.get(owner) ?? 1) - 1;
      if (left === 0) running.delete(owner);
      else running.set(owner, left);
    }
  }
}

async function callTool(
  services: GatewayServices,
  request: BundleRequest,
  { name, args, onProgress }: ToolCall,
): Promise<CallToolResult> {
  const { access, bundle } = request;
  const cut = name.indexOf(SEPARATOR);
  const server = bundle.servers.find((each) => each.name === name.slice(0, cut));
  const tool = name.slice(cut + SEPARATOR.length);
  if (cut < 0 || server === undefined || !isToolAllowed(name, bundle.filters))
    throw notFound({ reason: "mcp_tool_unknown" });
  const model = toolLogName(server.name, tool);
  if (!isAllowedByDerivedKey(access.caller, model))
    throw new GatewayError("model_not_allowed", { reason: "model_not_for_key", model });
  const owner = ownerOf(request, server);
  const received = receivedCall(access, bundle, model);
  await requireTool(services, owner, received, tool);
  return relayToolCall(services.relay, received, server.priceOf(tool), (signal) =>
    services.mcp.sessions.run(owner, signal, (session) => session.call({ tool, args, signal, onProgress })),
  );
}

/** Names that a client invents must not reach the log. Logs a server that does not answer. */
async function requireTool(
  { mcp, relay }: GatewayServices,
  owner: SessionOwner,
  received: ReceivedCall,
  tool: string,
): Promise<void> {
  try {
    const tools = await mcp.sessions.run(owner, abortSignalOf(received.signal), (session) => session.tools());
    if (tools.some((each) => each.name === tool)) return;
  } catch (error) {
    if (error instanceof GatewayError) noteRefusal(relay, { ...received, model: "" }, error);
    throw error;
  }
  throw notFound({ reason: "mcp_tool_unknown" });
}

/** Returns who uses a session at the server. Throws `invalid_request` for a key of the gateway in place of a credential. */
function ownerOf({ access, session, headers, keys }: BundleRequest, server: ActiveServer): SessionOwner {
  const header = AUTHORIZATION + server.name;
  const own = headers[header];
  if (typeof own !== "string" || own === "")
    return { caller: access.caller, session, server, credential: server.credential() };
  if (keys.some((key) => own.includes(key)))
    throw invalidRequest({ reason: "mcp_key_forwarded", header }, { param: header });
  return { caller: access.caller, session, server, credential: own };
}

function receivedCall(access: Access, bundle: ActiveBundle, model: string): ReceivedCall {
  return {
    ...access,
    endpoint: `/mcp/${bundle.name}`,
    needs: "chat",
    model,
    stream: false,
    tools: false,
    estimate: toolCallEstimate,
    calls: 0,
  };
}

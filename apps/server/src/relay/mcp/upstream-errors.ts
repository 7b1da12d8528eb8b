import { GatewayError } from "#errors.ts";
import { endReasons, ResponseTooLong } from "./limited-fetch.ts";
import type { McpSdk } from "./sdk.ts";

/** An error response of an MCP server. Its message goes to the client, but never to the log. */
export class ServerRefusal extends GatewayError<"upstream_refused"> {
  /** JSON-RPC code. */
  readonly rpcCode: number;
  readonly rpcMessage: string;

  constructor(server: string, rpcCode: number, rpcMessage: string) {
    super("upstream_refused", { reason: "mcp_refused", server, code: rpcCode });
    this.rpcCode = rpcCode;
    this.rpcMessage = rpcMessage;
  }
}

const MOST_MESSAGE_CHARS = 1_000;

/** Whether the server has forgotten the session. Nothing of the request was done. */
export function isSessionGone(sdk: McpSdk, error: unknown): boolean {
  return error instanceof sdk.StreamableHTTPError && error.code === 404;
}

/** Returns the error of a connection to a server without the text of its cause, which may have addresses. */
export function nameUpstreamError(sdk: McpSdk, server: string, error: unknown): GatewayError {
  if (error instanceof GatewayError)
    return error.params["reason"] === "address_not_public"
      ? new GatewayError("upstream_failed", { reason: "mcp_not_public", server })
      : error;
  if (error instanceof sdk.McpError) return nameRpcError(sdk, server, error);
  if (error instanceof sdk.StreamableHTTPError) {
    if (error.code === 401 || error.code === 403)
      return new GatewayError("upstream_refused", { reason: "mcp_unauthorized", server });
    if (error.code === 429) return new GatewayError("upstream_rate_limited", { reason: "provider_busy" });
    if (error.code !== undefined && error.code > 0)
      return new GatewayError("upstream_refused", { reason: "mcp_refused", server, code: error.code });
    return new GatewayError("upstream_failed", { reason: "mcp_unreadable", server }, { cause: error });
  }
  if (error instanceof ResponseTooLong || hasCode(error, "UND_ERR_RES_EXCEEDED_MAX_SIZE"))
    return new GatewayError("upstream_failed", { reason: "mcp_too_much", server });
  if (isTimeout(error)) return new GatewayError("upstream_timeout");
  // Anything else that is no failure of the network: no JSON, or no message of the protocol.
  const isNetwork = error instanceof TypeError || (error instanceof Error && error.name === "AbortError");
  const reason = isNetwork ? "mcp_unreachable" : "mcp_unreadable";
  return new GatewayError("upstream_failed", { reason, server }, { cause: error });
}

function nameRpcError(sdk: McpSdk, server: string, error: InstanceType<McpSdk["McpError"]>): GatewayError {
  const { code, data, message } = error;
  const ended = endReasons.find((reason) => (data as { gateway?: unknown } | undefined)?.gateway === reason);
  if (ended !== undefined) return new GatewayError("upstream_failed", { reason: ended, server });
  // Other codes than those of the SDK are numbers, too.
  const timedOut: number = sdk.ErrorCode.RequestTimeout;
  const connectionClosed: number = sdk.ErrorCode.ConnectionClosed;
  if (code === timedOut) return new GatewayError("upstream_timeout");
  if (code === connectionClosed)
    return new GatewayError("upstream_failed", { reason: "mcp_broke_off", server });
  const plain = message
    .replace(/^MCP error -?\d+: /, "")
    .slice(0, MOST_MESSAGE_CHARS)
    .toWellFormed();
  return new ServerRefusal(server, code, plain);
}

function isTimeout(error: unknown): boolean {
  const { name, cause } = error as { name?: unknown; cause?: unknown };
  if (name === "TimeoutError") return true;
  return cause instanceof Error && isTimeout(cause);
}

function hasCode(error: unknown, code: string): boolean {
  const { code: own, cause } = error as { code?: unknown; cause?: unknown };
  return own === code || (cause instanceof Error && hasCode(cause, code));
}

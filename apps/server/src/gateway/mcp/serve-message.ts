/** Answers one message of an MCP client with the SDK's server. Each message has a server of its own, so any node answers it. */
import type { CallToolRequest, Progress } from "@modelcontextprotocol/sdk/types.js";
import { GatewayError } from "#errors.ts";
import { rpcCodeOf } from "#gateway/http/error-shape.ts";
import { toGatewayError } from "#gateway/http/to-gateway-error.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { loadMcpSdk, type McpSdk } from "#relay/mcp/sdk.ts";
import { ServerRefusal } from "#relay/mcp/upstream-errors.ts";
import { type BundleRequest, callBundleTool, listBundleTools } from "./bundle-tools.ts";

/** A message as it arrived. */
interface ReceivedMessage {
  readonly request: BundleRequest;
  readonly message: Record<string, unknown>;
  /** The HTTP headers that the protocol defines. */
  readonly headers: Record<string, string>;
}

/** Returns the HTTP response. Its end closes what serves it. */
export async function serveMessage(
  services: GatewayServices,
  { request, message, headers }: ReceivedMessage,
): Promise<Response> {
  const sdk = await loadMcpSdk();
  const server = new sdk.Server(
    { name: `gateway/${request.bundle.name}`, version: "1" },
    { capabilities: { tools: {} } },
  );
  const fail = (error: unknown) => rpcError(sdk, request, error);
  server.setRequestHandler(sdk.ListToolsRequestSchema, async ({ params }) => {
    // All tools are on one page.
    if (params?.cursor !== undefined) throw new sdk.McpError(sdk.ErrorCode.InvalidParams, "Unknown cursor");
    const { tools, failures } = await listBundleTools(services, request).catch(fail);
    return Object.keys(failures).length === 0
      ? { tools }
      : { tools, _meta: { "gateway/failures": failures } };
  });
  server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, { sendNotification }) => {
    const token = progressTokenOf(params);
    const onProgress =
      token === undefined
        ? undefined
        : (progress: Progress) =>
            void sendNotification({
              method: "notifications/progress",
              params: { ...progress, progressToken: token },
            }).catch(() => {});
    const call = { name: params.name, args: params.arguments, onProgress };
    return callBundleTool(services, request, call).catch(fail);
  });
  // A call may take minutes: its response begins at once, and comments keep its connection open.
  const enableJsonResponse = message["method"] !== "tools/call";
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
  await server.connect(transport);
  request.access.signal.addEventListener("abort", () => void server.close(), { once: true });
  // The URL is not used, but a Request has one.
  const received = new Request("http://gateway/mcp", { method: "POST", headers });
  return transport.handleRequest(received, { parsedBody: message });
}

function progressTokenOf({ _meta }: CallToolRequest["params"]): string | number | undefined {
  return _meta?.progressToken;
}

/** Throws the error as JSON-RPC sends it. */
function rpcError(sdk: McpSdk, { access }: BundleRequest, error: unknown): never {
  if (error instanceof ServerRefusal) throw withoutPrefix(new sdk.McpError(error.rpcCode, error.rpcMessage));
  const named = error instanceof GatewayError ? error : toGatewayError(error);
  const { code, message, retryAfter } = named;
  const data = {
    code,
    request_id: access.requestId,
    ...(retryAfter === undefined ? {} : { retry_after: retryAfter }),
  };
  throw withoutPrefix(new sdk.McpError(rpcCodeOf(named), message, data));
}

/** The SDK puts the code before the message, and the client's SDK does it again. */
function withoutPrefix(error: InstanceType<McpSdk["McpError"]>): Error {
  error.message = error.message.replace(/^MCP error -?\d+: /, "");
  return error;
}

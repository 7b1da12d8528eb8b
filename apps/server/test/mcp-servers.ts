/** Real MCP servers for tests, on this machine. */
import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  isInitializeRequest,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";

export interface TestMcpServer {
  url: string;
  /** Headers of every request. */
  requests: IncomingMessage["headers"][];
  /** Methods of every message. */
  methods: string[];
  /** Names of called tools. */
  calls: string[];
  /** Sessions that are open. */
  sessions: Map<string, StreamableHTTPServerTransport>;
  close(): Promise<void>;
}

type Handlers = Record<
  string,
  (
    args: Record<string, unknown>,
    extra: { signal: AbortSignal; ask(method: "roots/list"): Promise<unknown> },
  ) => Promise<CallToolResult> | CallToolResult
>;

export const textResult = (text: string): CallToolResult => ({ content: [{ type: "text", text }] });

const toolNamed = (name: string): Tool => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: "object" },
});

interface TestMcpOptions {
  handlers: Handlers;
  /** Value of `authorization` without which requests get 401. */
  authorization?: string;
  /** Returns a page of tools in place of one for each handler. */
  list?: (cursor: string | undefined) => { tools: Tool[]; nextCursor?: string };
}

/** Starts a server of the SDK with sessions. */
export async function startMcpServer({
  handlers,
  authorization,
  list,
}: TestMcpOptions): Promise<TestMcpServer> {
  const requests: TestMcpServer["requests"] = [];
  const methods: string[] = [];
  const calls: string[] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();

  async function openSession(): Promise<StreamableHTTPServerTransport> {
    const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, async ({ params }) =>
      list === undefined ? { tools: Object.keys(handlers).map(toolNamed) } : list(params?.cursor),
    );
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal, sendRequest }) => {
      calls.push(params.name);
      const handler = handlers[params.name];
      if (handler === undefined) throw new McpError(ErrorCode.InvalidParams, `No tool ${params.name}`);
      const ask = (method: "roots/list") => sendRequest({ method }, ListRootsResultSchema);
      return handler(params.arguments ?? {}, { signal, ask });
    });
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  }

  const http = createServer((request, response) => {
    void (async () => {
      requests.push(request.headers);
      if (authorization !== undefined && request.headers.authorization !== authorization)
        return response.writeHead(401).end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body: unknown = chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString());
      methods.push((body as { method?: string } | undefined)?.method ?? "");
      const id = request.headers["mcp-session-id"];
      const known = typeof id === "string" ? sessions.get(id) : undefined;
      if (known === undefined && !isInitializeRequest(body)) return response.writeHead(404).end();
      await (known ?? (await openSession())).handleRequest(request, response, body);
      return undefined;
    })().catch(() => response.destroy());
  });
  const url = await listen(http);
  return { url, requests, methods, calls, sessions, close: () => stop(http) };
}

/** Starts a server that answers `initialize` properly, and any other request with what `answer` writes. */
export async function startRawMcpServer(
  answer: (message: { id?: number; method: string }, response: ServerResponse) => void,
): Promise<{ url: string; close(): Promise<void> }> {
  const http = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      if (chunks.length === 0) return response.writeHead(405).end();
      const message = JSON.parse(Buffer.concat(chunks).toString()) as { id?: number; method: string };
      if (message.id === undefined) return response.writeHead(202).end();
      if (message.method === "initialize") {
        const result = {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "raw", version: "1" },
        };
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      answer(message, response);
      return undefined;
    })().catch(() => response.destroy());
  });
  return { url: await listen(http), close: () => stop(http) };
}

/** Starts a server that redirects every request. */
export async function startRedirect(to: string): Promise<{ url: string; close(): Promise<void> }> {
  const http = createServer((_request, response) => response.writeHead(307, { location: to }).end());
  return { url: await listen(http), close: () => stop(http) };
}

async function listen(http: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

async function stop(http: HttpServer): Promise<void> {
  http.closeAllConnections();
  await new Promise((resolve) => http.close(resolve));
}

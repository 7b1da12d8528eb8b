/** One session at an MCP server: its tools, and calls of them. Requests of the server (sampling, roots, elicitation) are refused. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult, Progress, Tool } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { asRecord } from "#dialects/wire.ts";
import type { ActiveServer } from "#domain/mcp/directory.ts";
import { GatewayError } from "#errors.ts";
import { limitedFetch } from "./limited-fetch.ts";
import type { McpSdk } from "./sdk.ts";

const CONNECT_MS = 15_000;
const CLOSE_MS = 2_000;
/** Pages of a list of tools, and tools of a server. */
const MOST_PAGES = 10;
const MOST_TOOLS = 256;
const MOST_DESCRIPTION_CHARS = 2_048;
/** Maximum length of the schemas of a tool, as JSON. */
const MOST_SCHEMA_CHARS = 32_768;
const TOOLS_MS = 60_000;
/** Values of a result besides its structured content, and of a tool besides its schemas. */
const MOST_VALUES = 5_000;

/** Results before the SDK's schemas check them: for thousands of invalid values, that would take seconds. */
const listed = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });
const called = z.looseObject({});

const toolName = /^[A-Za-z0-9_.-]{1,100}$/;

interface ToolRequest {
  readonly tool: string;
  readonly args: Record<string, unknown> | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

export class UpstreamSession {
  readonly #sdk: McpSdk;
  readonly #server: ActiveServer;
  readonly #client: Client;
  readonly #transport: InstanceType<McpSdk["StreamableHTTPClientTransport"]>;
  #tools: { list: Promise<readonly Tool[]>; until: number } | undefined = undefined;

  /** @param credential value of the server's header */
  constructor(
    sdk: McpSdk,
    server: ActiveServer,
    credential: string | undefined,
    fetch: typeof globalThis.fetch,
  ) {
    this.#sdk = sdk;
    this.#server = server;
    // Without capabilities, the client refuses every request of the server except for a ping.
    this.#client = new sdk.Client({ name: "gateway", version: "1" }, { capabilities: {} });
    this.#transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
      fetch: limitedFetch(fetch, server.timeoutMs + CONNECT_MS),
      requestInit: { headers: credential === undefined ? {} : { [server.header]: credential } },
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    });
  }

  /** Initializes the session. Rejects with the errors of the SDK. */
  async connect(): Promise<void> {
    await this.#client.connect(this.#transport, { timeout: Math.min(CONNECT_MS, this.#server.timeoutMs) });
  }

  /** Returns the tools, those of the last minute without a request. Rejects with the errors of the SDK. */
  tools(): Promise<readonly Tool[]> {
    const known = this.#tools;
    if (known !== undefined && known.until > performance.now()) return known.list;
    const list = this.#listTools();
    const read = { list, until: performance.now() + TOOLS_MS };
    this.#tools = read;
    list.catch(() => {
      if (this.#tools === read) this.#tools = undefined;
    });
    return list;
  }

  async #listTools(): Promise<readonly Tool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const tools = new Map<string, Tool>();
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const options = { timeout: this.#server.timeoutMs };
      // Not `listTools`, which compiles the schemas of the server.
      const result = await this.#client.request({ method: "tools/list", params }, listed, options);
      if (tools.size + result.tools.length > MOST_TOOLS) throw this.#tooMuch();
      for (const given of result.tools) {
        const tool = this.#readTool(given);
        if (tool !== undefined) tools.set(tool.name, tool);
      }
      cursor = result.nextCursor;
      if (cursor === undefined) return [...tools.values()].flatMap((tool) => offeredTool(tool) ?? []);
    }
    throw this.#tooMuch();
  }

  /** Returns undefined for a tool whose schemas are too long. Throws for one that the protocol does not allow. */
  #readTool(given: unknown): Tool | undefined {
    const { inputSchema, outputSchema, ...fields } = asRecord(given) ?? {};
    if (JSON.stringify([inputSchema, outputSchema]).length > MOST_SCHEMA_CHARS) return undefined;
    if (!hasFewValues(fields)) throw this.#tooMuch();
    const tools = [{ ...fields, inputSchema, ...(outputSchema !== undefined && { outputSchema }) }];
    const [tool] = this.#sdk.ListToolsResultSchema.parse({ tools }).tools;
    return tool;
  }

  #tooMuch(): GatewayError {
    return new GatewayError("upstream_failed", { reason: "mcp_too_much", server: this.#server.name });
  }

  /** Calls a tool. Rejects with the errors of the SDK, and when the signal aborts. */
  async call({ tool, args, signal, onProgress }: ToolRequest): Promise<CallToolResult> {
    const timeout = this.#server.timeoutMs;
    signal.throwIfAborted();
    // The SDK keeps its listener after the result. A signal that aborts later would send the server a cancellation
    // of a request that is complete.
    const running = new AbortController();
    const abort = () => running.abort(signal.reason);
    signal.addEventListener("abort", abort);
    try {
      const { structuredContent, ...result } = await this.#client.request(
        { method: "tools/call", params: { name: tool, ...(args === undefined ? {} : { arguments: args }) } },
        called,
        {
          signal: running.signal,
          timeout,
          maxTotalTimeout: timeout,
          ...(onProgress && { onprogress: onProgress }),
        },
      );
      if (!hasFewValues(result)) throw this.#tooMuch();
      return this.#sdk.CallToolResultSchema.parse({
        ...result,
        ...(structuredContent !== undefined && { structuredContent }),
      });
    } finally {
      signal.removeEventListener("abort", abort);
    }
  }

  /** Ends the session at the server, which has a moment to answer. Never rejects. */
  async close(): Promise<void> {
    const ended = this.#transport.terminateSession().catch(() => {});
    await Promise.race([ended, sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.#client.close().catch(() => {});
  }
}

/** Whether a value has at most MOST_VALUES values, at any depth. */
function hasFewValues(value: unknown): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; count += 1) {
    if (count + open.length > MOST_VALUES) return false;
    const next = open.pop();
    if (typeof next === "object" && next !== null) for (const inner of Object.values(next)) open.push(inner);
  }
  return true;
}

/** Returns what clients see of a tool; undefined for one that they cannot use. */
function offeredTool({ name, title, description, inputSchema, outputSchema, annotations, execution }: Tool) {
  if (!toolName.test(name) || execution?.taskSupport === "required") return undefined;
  const tool: Tool = { name, inputSchema };
  if (title !== undefined) tool.title = shortText(title, 200);
  if (description !== undefined) tool.description = shortText(description, MOST_DESCRIPTION_CHARS);
  if (outputSchema !== undefined) tool.outputSchema = outputSchema;
  if (annotations !== undefined)
    tool.annotations = {
      ...annotations,
      ...(annotations.title && { title: shortText(annotations.title, 200) }),
    };
  return tool;
}

function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

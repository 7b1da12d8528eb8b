/**
 * The `fetch` of a connection to an MCP server. It ends a response that is too long or ends too early with a JSON-RPC error,
 * because the SDK would wait for the result until its timeout.
 */
import { z } from "zod";

/** Why the gateway ended a response, in `error.data.gateway` of its JSON-RPC error. */
export const endReasons = ["mcp_too_much", "mcp_broke_off"] as const;
type EndReason = (typeof endReasons)[number];

export const MOST_RESPONSE_BYTES = 4 * 1024 * 1024;
/** The SDK checks the response to this request itself, which takes seconds for thousands of invalid values. */
const MOST_INITIALIZE_BYTES = 64 * 1024;
/** Events of one response, such as progress and log messages before its result. */
const MOST_EVENTS = 1_000;

const LINE_FEED = 0x0a;
const SPACE = 0x20;
const LIST = 0x5b;

const Sent = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.object({ requestId: z.union([z.string(), z.number()]).optional() }).optional(),
});

/**
 * Returns a `fetch` with these limits. Follows no redirect.
 * @param timeoutMs limit of each request, with its response
 */
export function limitedFetch(fetch: typeof globalThis.fetch, timeoutMs: number): typeof globalThis.fetch {
  /** Requests in progress by their JSON-RPC id. */
  const running = new Map<string | number, AbortController>();

  return async (url, init = {}) => {
    // Notifications outside of a request have no receiver, so this stream is not opened.
    if (init.method === "GET") return new Response(null, { status: 405 });
    const { id, method, params } = sentIn(init.body);
    // The SDK only notifies the server of a cancelled request.
    if (method === "notifications/cancelled" && params?.requestId !== undefined)
      running.get(params.requestId)?.abort();
    const cancelled = new AbortController();
    if (id !== undefined && method !== undefined) running.set(id, cancelled);
    const signals = [cancelled.signal, AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])];
    const release = () => {
      if (id !== undefined && running.get(id) === cancelled) running.delete(id);
    };
    try {
      const headers = new Headers(init.headers);
      headers.set("accept-encoding", "identity");
      const options = { ...init, headers, redirect: "error" as const, signal: AbortSignal.any(signals) };
      const response = await fetch(url, options);
      if (response.body === null) {
        release();
        return response;
      }
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      const most = method === "initialize" ? MOST_INITIALIZE_BYTES : MOST_RESPONSE_BYTES;
      const body = isStream && id !== undefined ? limitedEvents(id, most) : limitedBytes(most);
      const { status, statusText, headers: answered } = response;
      return new Response(
        response.body.pipeThrough(body).pipeThrough(new TransformStream({ flush: release })),
        { status, statusText, headers: answered },
      );
    } catch (error) {
      release();
      throw error;
    }
  };
}

function sentIn(body: unknown): z.infer<typeof Sent> {
  if (typeof body !== "string") return {};
  return Sent.safeParse(JSON.parse(body)).data ?? {};
}

function limitedBytes(most: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let first: number | undefined;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      first ??= chunk.find((byte) => byte > SPACE);
      // A list may have a hundred thousand messages. The protocol has no lists any more.
      if (bytes > most || first === LIST) controller.error(new ResponseTooLong());
      else controller.enqueue(chunk);
    },
  });
}

/** The response is longer than the gateway accepts. */
export class ResponseTooLong extends Error {}

function limitedEvents(id: string | number, most: number): TransformStream<Uint8Array, Uint8Array> {
  let [bytes, events] = [0, 0];
  let isLineEmpty = true;
  const end = (reason: EndReason) => {
    const error = { code: -32_000, message: reason, data: { gateway: reason } };
    // The empty lines end an event that has begun. The client ignores an error after the result.
    return new TextEncoder().encode(`\n\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, error })}\n\n`);
  };
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      for (const byte of chunk) {
        if (byte !== LINE_FEED) isLineEmpty &&= byte === 0x0d;
        else {
          if (isLineEmpty) events += 1;
          isLineEmpty = true;
        }
      }
      if (bytes <= most && events <= MOST_EVENTS) return controller.enqueue(chunk);
      controller.enqueue(end("mcp_too_much"));
      controller.terminate();
    },
    flush(controller) {
      controller.enqueue(end("mcp_broke_off"));
    },
  });
}

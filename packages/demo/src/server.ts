/**
 * The demo upstream: a simulated provider on its own socket, so that everything can be tried and tested
 * without a provider key. It implements the providers' wire formats and must never know the gateway: it
 * shares no code with it.
 */
import { randomBytes } from "node:crypto";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { answer } from "./answer/answer.ts";
import { fastReply } from "./answer/fast.ts";
import { formFields } from "./answer/form.ts";
import { type Json, asText } from "./answer/json.ts";
import { BadQuestion, type Question } from "./answer/question.ts";
import { type Behaviour, switchesInKey, switchesInModel, switchesInText } from "./answer/switches.ts";
import { tokensOfCachedContent } from "./cached-contents.ts";
import { type Call, CallLog } from "./calls.ts";
import { type DemoControl, Rules } from "./control.ts";
import { Exchange } from "./exchange.ts";
import type { Provider } from "./faults.ts";
import type { Frame } from "./formats/chat-wire.ts";
import { openRealtime } from "./realtime-endpoint.ts";
import { openResponses } from "./responses-endpoint.ts";
import { type Route, listModels, routeAt, promptIn, taskFailure, providerAt } from "./routes.ts";

export type { Call } from "./calls.ts";
export type { DemoControl } from "./control.ts";

export interface DemoUpstream {
  /** `http://127.0.0.1:<port>`, without `/v1`. */
  url: string;
  close(): Promise<void>;
  control: DemoControl;
  /** Returns the latest calls, oldest first. A call is listed as soon as its body has arrived. */
  calls(): Call[];
}

const STREAM = "text/event-stream";
const LARGEST_BODY = 64 * 1024 * 1024;

/** Starts the server. Port 0, the default, means any free port. */
export async function startDemoUpstream(
  options: { port?: number; host?: "127.0.0.1" } = {},
): Promise<DemoUpstream> {
  const log = new CallLog();
  const rules = new Rules();
  const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
    serve(request, response, log, rules).catch(() => response.destroy());
  });
  const closeSessions = openRealtime(server, log, rules);
  const closeResponses = openResponses(server);
  const host = options.host ?? "127.0.0.1";
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: each worker of a cluster has its own simulated provider.
    server.listen({ port: options.port ?? 0, host, exclusive: true }, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        closeSessions();
        closeResponses();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
    control: {
      set: (behaviour) => rules.add(behaviour),
      reset: () => {
        rules.clear();
        log.clear();
      },
    },
    calls: () => log.list(),
  };
}

/** Returns undefined when the caller left before the body was complete, or the body is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Array<Buffer<ArrayBuffer>> = [];
  let size = 0;
  try {
    for await (const part of request) {
      const bytes = part as Buffer<ArrayBuffer>;
      size += bytes.length;
      if (size > LARGEST_BODY) return undefined;
      parts.push(bytes);
    }
  } catch {
    return undefined;
  }
  return parts.length === 1 ? parts[0] : Buffer.concat(parts);
}

function keyOf(request: IncomingMessage, query: URLSearchParams): string {
  const { headers } = request;
  return (
    /^Bearer\s(.*)$/i.exec(headers.authorization ?? "")?.[1]?.trim() ??
    (asText(headers["x-api-key"]) ||
      asText(headers["x-goog-api-key"]) ||
      asText(headers["mj-api-secret"]) ||
      (query.get("key") ?? ""))
  );
}

/** Returns undefined for invalid JSON, or for an invalid form if the content type is a form. */
async function parseBody(request: IncomingMessage, bytes: Buffer<ArrayBuffer>): Promise<unknown> {
  if (bytes.length === 0) return {};
  const type = request.headers["content-type"] ?? "";
  try {
    if (type.startsWith("multipart/")) return await formFields(type, bytes);
    return JSON.parse(bytes.toString("utf8")) as unknown;
  } catch {
    return undefined;
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  log: CallLog,
  rules: Rules,
): Promise<void> {
  const bytes = await bodyOf(request);
  if (bytes === undefined) {
    response.destroy();
    return;
  }
  const { method = "GET", url = "/", headers } = request;
  const mark = url.indexOf("?");
  const path = decodeURIComponent(mark === -1 ? url : url.slice(0, mark));
  const query = new URLSearchParams(mark === -1 ? "" : url.slice(mark));
  const key = keyOf(request, query);
  const route = routeAt(method, path, query, headers);
  if (key === "demo-fast" && route?.kind === "chat") {
    const { type, body } = fastReply(route, bytes);
    // A stream has no length here either.
    const framing = type === STREAM ? { "transfer-encoding": "chunked" } : { "content-length": body.length };
    response.writeHead(200, { "content-type": type, ...framing }).end(body);
    return;
  }
  const body = await parseBody(request, bytes);
  const call: Call = {
    method,
    path: url,
    headers,
    key,
    body,
    time: Date.now(),
    endedAt: undefined,
    status: 0,
    aborted: false,
  };
  log.add(call, bytes.length);
  const provider = providerAt(path, headers);
  const exchange = new Exchange(request, response, call, provider, `req_${randomBytes(12).toString("hex")}`);
  if (route === undefined) {
    exchange.refuse({ status: 404, message: `Nothing answers ${method} ${path} here.` });
    return;
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    exchange.refuse({ status: 400, message: "The body of the request is not a JSON object." });
    return;
  }
  try {
    await respond(
      exchange,
      route,
      body as Json,
      (model) => ({
        ...rules.take({ key: call.key, model, path }),
        ...switchesInKey(call.key),
        ...switchesInModel(model),
      }),
      rules,
    );
  } catch (error) {
    if (!(error instanceof BadQuestion)) throw error;
    exchange.refuse({ status: 400, message: error.message, param: error.param });
  }
}

type Caches = Pick<Rules, "promptCache" | "markedCache">;

async function respond(
  exchange: Exchange,
  route: Route,
  body: Json,
  requested: (model: string) => Behaviour,
  caches: Caches,
): Promise<void> {
  if (route.kind === "chat") {
    const model = route.target.model || asText(body["model"]);
    // A broken account rejects before it reads the question.
    const standing = requested(model);
    if (standing.status !== undefined && (await exchange.trouble(standing))) return;
    const question = route.wire.read(body, route.target);
    const behaviour = { ...standing, ...switchesInText(question.prompt) };
    if (await exchange.trouble(behaviour)) return;
    const made = answer(
      question,
      withCache(caches, exchange.call.key, { question, behaviour, provider: route.provider, body }),
    );
    if (!question.stream) {
      await exchange.send(
        { type: "application/json", body: JSON.stringify(route.wire.plain(question, made)) },
        behaviour,
      );
      return;
    }
    const type = route.provider === "gemini" && !route.target.sse ? "application/json" : STREAM;
    await exchange.stream(type, route.wire.frames(question, made), behaviour, (sent) =>
      route.failure(question, made, sent, exchange.requestId),
    );
    return;
  }
  const model = route.kind === "task" ? route.model || asText(body["model"]) : "";
  const behaviour = { ...requested(model), ...switchesInText(promptIn(body)) };
  if (await exchange.trouble(behaviour)) return;
  const reply = route.kind === "task" ? route.run(body) : listModels(route);
  if (reply === undefined) exchange.refuse({ status: 404 });
  else if ("events" in reply)
    await exchange.stream(STREAM, withoutUsage(reply.events, behaviour), behaviour, () =>
      taskFailure(exchange.requestId),
    );
  else await exchange.send(reply, behaviour);
}

/** Sets what the prompt cache of this key had and has stored, for a key or model with a cache. */
function withCache(
  { promptCache, markedCache }: Caches,
  key: string,
  {
    question,
    behaviour,
    provider,
    body,
  }: { question: Question; behaviour: Behaviour; provider: Provider; body: Json },
): Behaviour {
  const stored = provider === "gemini" ? tokensOfCachedContent(body) : 0;
  if (stored > 0) return { ...behaviour, input: question.input + stored, cached: stored };
  if (behaviour.markedCache === true && provider === "anthropic") {
    const { input, read, written } = markedCache.take(`${key} ${question.model}`, body, Date.now());
    return { ...behaviour, input, cached: read, cacheWrite: written };
  }
  if (behaviour.prefixCache !== true) return behaviour;
  const { read, written } = promptCache.take(`${key} ${question.model}`, question.parts ?? []);
  // Only Anthropic reports, and charges for, what is written.
  return { ...behaviour, cached: read, ...(provider === "anthropic" ? { cacheWrite: written } : {}) };
}

/** Applies `no-usage` to the events of a task. */
function withoutUsage(events: Iterable<Frame>, behaviour: Behaviour): Iterable<Frame> {
  if (behaviour.noUsage !== true) return events;
  return [...events].map((frame) => ({
    ...frame,
    text: frame.text.replace(/,"usage":\{.*\}(?=\}\n\n$)/, ""),
  }));
}

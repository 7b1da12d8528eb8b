/**
 * Compatibility with One Hub's management API, for every caller that does not send `Api-Version: 2`. Per
 * route, the table defines how a request is read and how its response is formatted. Native handlers know
 * nothing about it.
 */
import type { Failure } from "@gateway/shared/envelope";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "#console/services.ts";
import { listIgnoredFields } from "./plugin/ignored.ts";
import type { CompatCall, CompatOutcome, CompatRoute } from "./plugin/route.ts";
import { compatRoutes, untouched } from "./routes.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI description of the compatibility mode. */
    swaggerCompat: FastifyInstance["swagger"];
  }
  interface FastifyRequest {
    /** Null for callers of version 2. */
    compat: CompatState | null;
  }
}

interface CompatState {
  route: CompatRoute;
  notes: string[];
  /** True when a handler of this folder has sent the response. */
  answered: boolean;
  /** Error code of a refusal and its reason; "" for a success. */
  code: string;
  reason: string;
  /** A handler of this folder found the request valid. */
  isRead: boolean;
}

const standard: CompatRoute = {};

/** Installs the compatibility mode. Must be called before any route is registered. */
export function registerCompatibility(app: FastifyInstance, services: Services): void {
  const known = new Set<string>();
  const keyOf = (method: string, url: string) =>
    `${method === "HEAD" ? "GET" : method} ${url.slice(app.prefix.length)}`;

  app.decorateRequest("compat", null);
  app.addHook("onRoute", ({ method, url }) => {
    for (const each of [method].flat()) known.add(keyOf(each, url));
  });
  app.addHook("onReady", async () => {
    for (const key of [...Object.keys(compatRoutes), ...untouched])
      if (!known.has(key)) throw new Error(`The compatibility table names ${key}, which is no route.`);
  });

  app.addHook("onRequest", async (request, reply) => {
    void reply.header("vary", "Api-Version");
    if (request.headers["api-version"] === "2") return;
    const key = keyOf(request.method, request.routeOptions.url ?? "");
    if (untouched.has(key)) return;
    const route = Object.hasOwn(compatRoutes, key) ? compatRoutes[key] : undefined;
    request.compat = {
      route: route ?? standard,
      notes: [],
      answered: false,
      code: "",
      reason: "",
      isRead: false,
    };
  });

  app.addHook("preValidation", async (request, reply) => {
    if (request.compat !== null)
      await readRequest(request.compat, callOf(request, reply, request.compat, services));
    return reply.sent ? reply : undefined;
  });

  app.addHook("preSerialization", async (request, reply, payload) => {
    const { compat } = request;
    if (compat === null) return payload;
    return spellAnswer(compat, callOf(request, reply, compat, services), payload);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const { compat } = request;
    if (compat === null) return payload;
    const status = reply.statusCode;
    void reply.header("api-status", status);
    const { route, code, reason, isRead } = compat;
    void reply.code(toOneHubStatus(route, { status, code, reason, isRead, isRoute: !request.is404 }));
    const { text } = route;
    return text !== undefined && status < 400 && typeof payload === "string" ? text(payload) : payload;
  });
}

function callOf(
  request: FastifyRequest,
  reply: FastifyReply,
  state: CompatState,
  services: Services,
): CompatCall {
  return {
    request,
    reply,
    services,
    note: (sentence) => state.notes.push(sentence),
    hasRead: () => {
      state.isRead = true;
    },
  };
}

async function readRequest(state: CompatState, call: CompatCall): Promise<void> {
  const { request, reply } = call;
  const { route, notes } = state;
  if (request.method === "GET") request.query = applyPageDefaults(request.query);
  if (route.query !== undefined) request.query = await route.query.run(request.query, call);
  if (route.body !== undefined) request.body = await route.body.run(request.body, call);
  if (route.handle === undefined) return;
  const answer = await route.handle.run(call);
  notes.push(...listIgnoredFields(request.body, answer.data, route.ignores));
  state.answered = true;
  // The native route's schemas do not apply to this response. Fastify sets no type for an own serializer.
  await reply
    .type("application/json; charset=utf-8")
    .serializer(JSON.stringify)
    .send({ ...answer, success: answer.success ?? true, message: messageOf(answer.message, notes) });
}

async function spellAnswer(state: CompatState, call: CompatCall, payload: unknown): Promise<unknown> {
  if (state.answered || typeof payload !== "object" || payload === null || !("success" in payload))
    return payload;
  if (payload.success !== true) {
    const { code = "", params } = payload as Partial<Failure>;
    state.code = code;
    state.reason = String(params?.["reason"] ?? "");
    return payload;
  }
  const text = "message" in payload && typeof payload.message === "string" ? payload.message : "";
  const spelling = state.route.answer;
  if (spelling === undefined) return { ...payload, message: messageOf(text, state.notes) };
  const data = await spelling.run("data" in payload ? payload.data : undefined, call);
  call.reply.serializer(JSON.stringify);
  return { ...payload, message: messageOf(text, state.notes), data };
}

function messageOf(text: string | undefined, notes: readonly string[]): string {
  return [text ?? "", ...notes].filter((sentence) => sentence !== "").join(" ");
}

/** Applies One Hub's defaults: a missing page or size, or one below 1, means the first page and ten rows. */
function applyPageDefaults(query: unknown): unknown {
  if (typeof query !== "object" || query === null) return query;
  const paged: Record<string, unknown> = { ...query };
  // Cursors are not part of One Hub's API. A caller with a cursor sends no page.
  if (isUnset(paged["page"]) && isUnset(paged["cursor"])) paged["page"] = "1";
  if (isUnset(paged["size"])) paged["size"] = "10";
  return paged;
}

function isUnset(value: unknown): boolean {
  if (value === undefined || value === "") return true;
  return typeof value === "string" && /^-?\d+$/.test(value) && Number(value) < 1;
}

/** Internal failures. They keep their status, so that no caller takes them for a result. */
const ours: ReadonlySet<string> = new Set(["internal", "unavailable", "shutting_down"]);

/**
 * Returns the HTTP status that One Hub sends where version 2 sends `status`: 200 for nearly every refusal.
 */
function toOneHubStatus(
  route: CompatRoute,
  { isRoute, ...refusal }: CompatOutcome & { isRoute: boolean },
): number {
  const { status, code } = refusal;
  if (status < 400) return status === 200 ? (route.succeeds ?? 200) : status;
  if (!isRoute || code === "unauthenticated" || status === 429 || ours.has(code)) return status;
  return route.refuses?.(refusal) ?? 200;
}

import type { IncomingMessage } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { dialects } from "#dialects/index.ts";
import { type GatewayError, invalidRequest, notFound } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { requestIdHeaders, securityHeaders } from "./answer-headers.ts";
import { needsFinalStatus, failedFrame } from "./codex-errors.ts";
import { type ErrorShape, shapeFor, shapeOf } from "./error-shape.ts";
import { withLimitLink } from "./limit-links.ts";
import { lacksVersion } from "./request-url.ts";
import { isOurFault, toGatewayError } from "./to-gateway-error.ts";

const LINGER_MS = 1_000;

/**
 * Sends an error in the client's dialect. The log contains no part of the request.
 * @param services adds links to the errors of limits
 */
export async function answerError(
  shape: ErrorShape,
  error: FastifyError | GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
  services?: Pick<GatewayServices, "relay">,
): Promise<FastifyReply> {
  const addressed = withAddress(toGatewayError(error), request);
  const named =
    services === undefined ? addressed : withLimitLink(services, addressed, request.server.prefix);
  // The rest of an unread body must not be parsed as the next request.
  if (!request.raw.complete && !(await readsOut(request.raw))) void reply.header("connection", "close");
  if (isOurFault(named)) request.log.error({ err: error }, "call failed");
  else request.log.debug({ code: named.code, status: named.status }, "call refused");
  const { status, body } = shape.encodeError(named, request.id);
  if (named.headers !== undefined) void reply.headers(named.headers);
  if (named.retryAfter !== undefined) void reply.header("retry-after", String(Math.ceil(named.retryAfter)));
  if (shape === dialects["openai-responses"] && needsFinalStatus(request, named))
    return reply.code(200).type("text/event-stream; charset=utf-8").send(failedFrame(named, request.id));
  return reply.code(status).send(body);
}

/** A request that cannot be read may have been sent to the wrong place: says where it was taken to go. */
function withAddress(error: GatewayError, { originalUrl, url }: FastifyRequest): GatewayError {
  if ((error.status !== 400 && error.status !== 404) || !lacksVersion(originalUrl, url)) return error;
  const [path = ""] = url.split("?");
  const message = `${error.message} The address has no /v1; it was read as ${path}.`;
  // Not changed in place: several calls may end with the same error.
  return Object.create(error, { message: { value: message } }) as GatewayError;
}

/**
 * Reads on for a moment, because a sender that is cut off while sending would not see the error. Returns
 * false when more data is pending.
 */
function readsOut(raw: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      raw.off("end", end).off("close", end);
      resolve(raw.complete);
    };
    const timer = setTimeout(end, LINGER_MS);
    raw.on("end", end).on("close", end).resume();
  });
}

/** Sends the error for a request that cannot be routed, such as a path with a broken escape. */
export function answerUnroutable(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const named = invalidRequest({ reason: "address_not_valid" }, { status: error.statusCode ?? 400 });
  answerOutside(named, request, reply);
}

/** Sends the error for a request with several Host headers. */
export function answerSeveralHosts(request: FastifyRequest, reply: FastifyReply): void {
  answerOutside(invalidRequest({ reason: "host_twice" }), request, reply);
}

/**
 * Answers a client whose address is outside of the API, in the dialect that the path suggests.
 * @param base path of the gateway, "" or starting with "/"
 */
export function answerOutsideApi(
  base: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { method, url } = request;
  const path = url.split("?")[0] ?? "";
  const shape = shapeFor(request, shapeOf(url) ?? dialects["openai-chat"]);
  return answerError(shape, notFound({ reason: "path_outside_api", method, path, base }), request, reply);
}

/** Sends an error before a scope has been chosen, in the dialect of the path. */
function answerOutside(error: GatewayError, request: FastifyRequest, reply: FastifyReply): void {
  const url = request.raw.url ?? "";
  for (const [name, value] of Object.entries(securityHeaders)) reply.raw.setHeader(name, value);
  for (const [name, value] of Object.entries(requestIdHeaders(request))) reply.raw.setHeader(name, value);
  // No hook runs for it, so the stop of a node would not see this connection.
  reply.raw.setHeader("connection", "close");
  const shape = shapeFor({ url, headers: request.headers }, shapeOf(url) ?? dialects["openai-chat"]);
  void answerError(shape, error, request, reply);
}

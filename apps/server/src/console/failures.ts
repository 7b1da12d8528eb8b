import type { Failure } from "@gateway/shared/envelope";
import { templateOf } from "@gateway/shared/errors";
import { fillTemplate } from "@gateway/shared/errors/phrase";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError, internalError, invalidRequest, notFound } from "#errors.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";

/** Sends every error in the console's envelope. Internal details stay in the log; the request id is sent. */
export async function answerFailure(
  error: FastifyError | GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Failure> {
  const known = error instanceof GatewayError ? error : toOwnError(error);
  // The log says in a line of its own that the node stops or the database is away.
  if (known.status >= 500 && known.code !== "shutting_down" && !isDatabaseAway(known))
    request.log.error({ err: error }, "a console request failed");
  if (known.retryAfter !== undefined) void reply.header("retry-after", Math.ceil(known.retryAfter));
  void reply.code(known.status);
  return {
    success: false,
    message: known.message,
    code: known.code,
    params: known.params,
    ...(known.issues === undefined ? {} : { fields: sentencesOf(known.issues), issues: { ...known.issues } }),
    request_id: request.id,
  };
}

/** Whether the request failed because the database is away, or seems to be. */
export function isDatabaseAway(error: Error): boolean {
  const trouble = error instanceof GatewayError ? error : databaseTrouble(error);
  return trouble?.code === "unavailable" && trouble.params["reason"] === "database_away";
}

export async function answerNotFound(request: FastifyRequest, reply: FastifyReply): Promise<Failure> {
  return answerFailure(nothingHere(), request, reply);
}

function nothingHere(): GatewayError {
  return notFound({ reason: "address_not_found" });
}

/** Returns one sentence per form field. */
function sentencesOf(issues: NonNullable<GatewayError["issues"]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(issues).map(([field, { reason, ...values }]) => [
      field,
      fillTemplate(templateOf(reason) ?? reason, values),
    ]),
  );
}

/** Converts Fastify's own errors to ours. */
function toOwnError(error: FastifyError): GatewayError {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new GatewayError("body_too_large", { reason: "console_body_too_large" });
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new GatewayError("unsupported_media_type", { reason: "json_required" });
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return invalidRequest({ reason: "body_not_json" });
    default:
  }
  const status = error.statusCode ?? 500;
  if (status === 429) return new GatewayError("rate_limit_exceeded", { reason: "too_many_requests" });
  if (status < 500) return invalidRequest({ reason: "body_unreadable" }, { status });
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) return trouble;
  return internalError(error);
}

import type { Failure } from "@gateway/shared/envelope";
import { errorStatus } from "@gateway/shared/errors";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "#errors.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";

/** Spells every error as the console's envelope. What went wrong inside stays in the log; the request id goes out. */
export async function answerFailure(
  error: FastifyError | GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Failure> {
  const known = error instanceof GatewayError ? error : named(error);
  if (known.status >= 500) request.log.error({ err: error }, "a console request failed");
  if (known.retryAfter !== undefined) void reply.header("retry-after", Math.ceil(known.retryAfter));
  void reply.code(known.status);
  return {
    success: false,
    message: known.status === 500 ? INTERNAL : known.message,
    code: known.code,
    ...(known.fields === undefined ? {} : { fields: known.fields }),
    request_id: request.id,
  };
}

export async function answerNotFound(request: FastifyRequest, reply: FastifyReply): Promise<Failure> {
  return answerFailure(nothingHere(), request, reply);
}

function nothingHere(): GatewayError {
  return new GatewayError("not_found", "There is nothing at this address.");
}

const INTERNAL = "Something went wrong on our side. Quote the request id when you report it.";

/** What Fastify itself refuses, in our words. */
function named(error: FastifyError): GatewayError {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new GatewayError("body_too_large", "The body is too large.");
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return new GatewayError("unsupported_media_type", "Send the body as application/json.");
    case "FST_ERR_CTP_EMPTY_JSON_BODY":
    case "FST_ERR_CTP_INVALID_JSON_BODY":
      return new GatewayError("invalid_request", "The body is not valid JSON.");
    default:
  }
  const status = error.statusCode ?? 500;
  if (status === 429) return new GatewayError("rate_limited", "Too many requests. Try again later.");
  if (status < 500) return new GatewayError("invalid_request", "The request cannot be read.", { status });
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) return trouble;
  return new GatewayError("internal", INTERNAL, { status: errorStatus.internal, cause: error });
}

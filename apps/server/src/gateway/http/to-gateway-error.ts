import type { FastifyError } from "fastify";
import { GatewayError, internalError } from "#errors.ts";
import { BODY_LIMIT, bodyTooLarge } from "#gateway/body/json-body.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";

/** Maps any error to one that a dialect can encode, without internal details. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { code, statusCode, message } = error as Partial<FastifyError>;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return bodyTooLarge(BODY_LIMIT);
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new GatewayError("unsupported_media_type", { reason: "json_required_here" });
  if (statusCode !== undefined && statusCode < 500)
    return new GatewayError(
      "invalid_request",
      { reason: "body_fault", detail: message ?? "" },
      { status: statusCode },
    );
  const trouble = databaseTrouble(error);
  if (trouble !== undefined) return trouble;
  return internalError(error);
}

/**
 * Whether the error must be reported to the operator: neither the caller nor a provider can fix it. A database that
 * is away is reported once, not by every call.
 */
export function isOurFault({ code, params }: GatewayError): boolean {
  if (code === "unavailable") return params["reason"] !== "database_away";
  return code === "internal" || code === "storage_full";
}

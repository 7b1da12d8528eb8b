import type { FastifyError } from "fastify";
import { GatewayError, internalError } from "#errors.ts";
import { databaseTrouble } from "#platform/database/connection-loss.ts";
import { BODY_LIMIT, bodyTooLarge } from "./body/json-body.ts";

/** Whatever went wrong, as something that a dialect can say without telling what is no one's business. */
export function nameError(error: unknown): GatewayError {
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

/** Whether the operator must hear of it: neither the caller nor a provider can mend it. */
export function isOurFault({ code }: GatewayError): boolean {
  return code === "internal" || code === "unavailable" || code === "storage_full";
}

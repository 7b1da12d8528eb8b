/** Errors in the form of SCIM (RFC 7644, section 3.12). */
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { answerFailure } from "#console/failures.ts";
import { conflict, type GatewayError, notFound } from "#errors.ts";

export const SCIM_TYPE = "application/scim+json";

const errorSchema = "urn:ietf:params:scim:api:messages:2.0:Error";

interface ScimFailure {
  schemas: [typeof errorSchema];
  status: string;
  scimType?: string;
  detail: string;
}

export async function answerScimFailure(
  error: FastifyError | GatewayError,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ScimFailure> {
  // Two requests at the same moment gave the same value to two resources.
  const known = error.code === "P2002" ? conflict({ reason: "scim_taken", field: "userName" }) : error;
  const { code, params, message } = await answerFailure(known, request, reply);
  void reply.type(SCIM_TYPE);
  const isUnknownClient = code === "unauthenticated";
  if (isUnknownClient) void reply.header("www-authenticate", "Bearer");
  const scimType = scimTypeOf(code, params["reason"]);
  return {
    schemas: [errorSchema],
    status: String(reply.statusCode),
    ...(scimType === undefined ? {} : { scimType }),
    detail: isUnknownClient ? "The SCIM token is missing or wrong." : message,
  };
}

export async function answerUnknownAddress(request: FastifyRequest, reply: FastifyReply) {
  return answerScimFailure(notFound({ reason: "address_not_found" }), request, reply);
}

function scimTypeOf(code: string, reason: unknown): string | undefined {
  if (code === "conflict") return "uniqueness";
  if (code !== "invalid_request") return undefined;
  if (reason === "scim_filter_unsupported") return "invalidFilter";
  if (reason === "scim_path_unsupported") return "invalidPath";
  if (reason === "scim_too_many") return "tooMany";
  return reason === "body_not_json" ? "invalidSyntax" : "invalidValue";
}

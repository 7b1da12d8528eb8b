import type { FastifyInstance } from "fastify";
import type { Wire } from "#dialects/dialect.ts";
import { invalidRequest } from "#errors.ts";

/** Bytes. Long documents and images come as base64 in JSON. */
export const BODY_LIMIT = 64 * 1024 * 1024;

/** A JSON object twice: parsed, and as the bytes that may go on untouched. */
export interface JsonBody {
  raw: Buffer;
  body: Wire;
}

export function isJsonBody(value: unknown): value is JsonBody {
  return typeof value === "object" && value !== null && "raw" in value && "body" in value;
}

/** Parses JSON once and keeps the bytes. */
export function acceptJson(app: FastifyInstance): void {
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, raw, done) => {
    const bytes = raw as Buffer;
    let body: unknown;
    try {
      body = JSON.parse(bytes.toString("utf8"));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "it cannot be parsed";
      done(invalidRequest(`The body is not valid JSON: ${reason}.`));
      return;
    }
    if (typeof body !== "object" || body === null || Array.isArray(body))
      done(invalidRequest("The body must be a JSON object."));
    else done(null, { raw: bytes, body: body as Wire } satisfies JsonBody);
  });
}

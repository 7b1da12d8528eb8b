import type { FastifyRequest, preValidationAsyncHookHandler } from "fastify";
import type { z } from "zod";
import { checked } from "#console/validation.ts";

/** With `?status_only` the older API's PUT switches and reads nothing else of the body. */
export function isStatusOnly(request: FastifyRequest): boolean {
  return Object.hasOwn(request.query as object, "status_only");
}

/** A body that leaves out what a whole one must have. */
export function lacks(field: string): (request: FastifyRequest) => boolean {
  return ({ body }) => {
    if (typeof body !== "object" || body === null) return false;
    const value = (body as Record<string, unknown>)[field];
    return value === undefined || value === "";
  };
}

/**
 * The older API's habit of changing a little with the PUT that also changes everything: where `applies` says so, the
 * body is read by `schema` and `change` answers; else the route goes on as it is.
 */
export function partialPut<Schema extends z.ZodType>(
  applies: (request: FastifyRequest) => boolean,
  schema: Schema,
  change: (request: FastifyRequest, body: z.output<Schema>) => Promise<unknown>,
): preValidationAsyncHookHandler {
  return async (request, reply) => {
    if (applies(request)) return reply.send(await change(request, checked(schema, request.body)));
  };
}

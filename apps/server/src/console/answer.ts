import type { IncomingMessage, ServerResponse } from "node:http";
import { Envelope, Failure } from "@gateway/shared/envelope";
import type { FastifyInstance, FastifyBaseLogger, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";

/** A Fastify scope whose routes are typed by their zod schemas. */
export type ConsoleApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** Response schemas of a route: only fields that `data` names leave the server. */
export function answers<T extends z.ZodType>(data: T) {
  return { 200: Envelope(data), "4xx": Failure, "5xx": Failure };
}

export function ok<T>(data: T): { success: true; message: string; data: T } {
  return { success: true, message: "", data };
}

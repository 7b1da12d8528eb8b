import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Services } from "#console/services.ts";
import { checked } from "#console/validation.ts";

/**
 * How one route speaks to callers that know One Hub's API and not version 2: what differs from the native route, and
 * nothing else. Who may call it, and how often, is the native route's to say.
 */
export interface CompatRoute {
  /** Reads the query and the body as One Hub does, and answers them as the native route takes them. */
  query?: Reading;
  body?: Reading;
  /** Spells the data of the native answer as One Hub does. */
  answer?: Spelling;
  /** Does the work instead of the native handler. */
  handle?: Handling;
  /** Spells a file. */
  text?: (file: string) => string;
  /** HTTP status of a success, where One Hub's is not 200. */
  succeeds?: number;
  /** HTTP status of a refusal, where One Hub's is not 200. */
  refuses?: (status: number, code: string) => number;
}

export interface CompatCall {
  request: FastifyRequest;
  reply: FastifyReply;
  services: Services;
  /** Adds a sentence to the answer's `message`. */
  note(sentence: string): void;
}

export interface Reading {
  schema: z.ZodType;
  run(given: unknown, call: CompatCall): unknown;
}

/** `run` is given what `schema` let through; without it, that is what the native route gets. */
export function reads<Schema extends z.ZodType>(
  schema: Schema,
  run: (given: z.output<Schema>, call: CompatCall) => unknown = (given) => given,
): Reading {
  return { schema, run: (given, call) => run(checked(schema, given), call) };
}

export interface Spelling {
  schema: z.ZodType;
  run(data: unknown, call: CompatCall): unknown;
}

/** @param native the schema of the native data: what it does not name does not leave */
export function spells<Native extends z.ZodType, Older extends z.ZodType>(
  native: Native,
  older: Older,
  run: (data: z.output<Native>, call: CompatCall) => z.input<Older> | Promise<z.input<Older>>,
): Spelling {
  return { schema: older, run: (data, call) => run(native.parse(data), call) };
}

export interface Handling {
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  data: z.ZodType;
  run(call: CompatCall): Promise<Answer>;
}

/** What a handler of this folder answers; without `success` it is one. */
export interface Answer {
  success?: boolean;
  message?: string;
  data?: unknown;
}

interface Given<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
}

export function handles<
  D extends z.ZodType,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  schemas: { data: D; params?: P; query?: Q; body?: B },
  run: (given: Given<P, Q, B>, call: CompatCall) => Promise<Omit<Answer, "data"> & { data?: z.input<D> }>,
): Handling {
  const read = (schema: z.ZodType | undefined, given: unknown) =>
    schema === undefined ? undefined : checked(schema, given);
  return {
    ...schemas,
    run: (call) => {
      const { params, query, body } = call.request;
      // Each part is what its own schema let through; a part without a schema is never looked at.
      const given = {
        params: read(schemas.params, params),
        query: read(schemas.query, query),
        body: read(schemas.body, body),
      } as Given<P, Q, B>;
      return run(given, call);
    },
  };
}

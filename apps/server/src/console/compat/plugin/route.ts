import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Services } from "#console/services.ts";
import { validate } from "#console/validation.ts";

/**
 * How one route differs from the native route for callers that use One Hub's API and not version 2. Access
 * and rate limits are always those of the native route.
 */
export interface CompatRoute {
  /** Translates One Hub's query and body into those of the native route. */
  query?: CompatReader;
  body?: CompatReader;
  /** Converts the data of the native response to One Hub's format. */
  answer?: Spelling;
  /** Replaces the native handler. */
  handle?: Handling;
  /**
   * Fields of the row that `handle` does not change, each with the call that does, or "". The message names those
   * that the request sets to another value.
   */
  ignores?: Readonly<Record<string, string>>;
  /** Converts a file to One Hub's format. */
  text?: (file: string) => string;
  /** HTTP status of a success, where One Hub's is not 200. */
  succeeds?: number;
  /** HTTP status of a refusal, where One Hub's is not 200. */
  refuses?: (refusal: CompatOutcome) => number;
}

export interface CompatOutcome {
  /** The true status. */
  status: number;
  /** Code and reason of the failure; "" for a success. */
  code: string;
  reason: string;
  /** The request was valid, and its handler refused it. */
  isRead: boolean;
}

export interface CompatCall {
  request: FastifyRequest;
  reply: FastifyReply;
  services: Services;
  /** Adds a sentence to the `message` of the response. */
  note(sentence: string): void;
  /** Notes that the request was valid. */
  hasRead(): void;
}

export interface CompatReader {
  schema: z.ZodType;
  run(given: unknown, call: CompatCall): unknown;
}

/**
 * Reads a request with `schema`. `run` gets the parsed value and returns the input of the native route; the
 * default returns it unchanged.
 */
export function readWith<Schema extends z.ZodType>(
  schema: Schema,
  run: (given: z.output<Schema>, call: CompatCall) => unknown = (given) => given,
): CompatReader {
  return { schema, run: (given, call) => run(validate(schema, given), call) };
}

export interface Spelling {
  schema: z.ZodType;
  run(data: unknown, call: CompatCall): unknown;
}

/**
 * Formats a response. @param native the schema of the native data: fields that it does not name are dropped
 */
export function formatWith<Native extends z.ZodType, Older extends z.ZodType>(
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
  run(call: CompatCall): Promise<CompatResult>;
}

/** The result of a handler of this folder. Absent `success` means true. */
export interface CompatResult {
  success?: boolean;
  message?: string;
  data?: unknown;
}

interface CompatInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
}

export function handleWith<
  D extends z.ZodType,
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
>(
  schemas: { data: D; params?: P; query?: Q; body?: B },
  run: (
    given: CompatInput<P, Q, B>,
    call: CompatCall,
  ) => Promise<Omit<CompatResult, "data"> & { data?: z.input<D> }>,
): Handling {
  const read = (schema: z.ZodType | undefined, given: unknown) =>
    schema === undefined ? undefined : validate(schema, given);
  return {
    ...schemas,
    run: (call) => {
      const { params, query, body } = call.request;
      // Each part is parsed with its own schema. A part without a schema is ignored.
      const given = {
        params: read(schemas.params, params),
        query: read(schemas.query, query),
        body: read(schemas.body, body),
      } as CompatInput<P, Q, B>;
      call.hasRead();
      return run(given, call);
    },
  };
}

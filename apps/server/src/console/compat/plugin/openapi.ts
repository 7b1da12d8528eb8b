/** The OpenAPI description for callers without `Api-Version: 2`, beside that of version 2. */
import type { FastifySchema } from "fastify";
import { jsonSchemaTransform } from "fastify-type-provider-zod";
import { z } from "zod";
import { compatRoutes, untouched } from "#console/compat/routes.ts";

type Transform = typeof jsonSchemaTransform;

/** Every operation requires the version header. The responses are the native schemas. */
export const describeVersion2: Transform = (input) => {
  const { schema } = input;
  const headers = z.object({
    "api-version": z.literal("2").describe("Typed fields and true HTTP statuses."),
  });
  return jsonSchemaTransform({ ...input, schema: { ...schema, headers: schema?.headers ?? headers } });
};

const Refusal = z.object({ success: z.literal(false), message: z.string(), code: z.string() });

/** Describes the routes in One Hub's format. @param prefix of the addresses: "/api", below the base path */
export function describeCompat(prefix: string): Transform {
  return (input) => {
    const { route } = input;
    const [method] = [route.method].flat();
    const key = `${method} ${route.url.slice(prefix.length)}`;
    const found = Object.hasOwn(compatRoutes, key) ? compatRoutes[key] : undefined;
    if (found === undefined || untouched.has(key)) return jsonSchemaTransform(input);
    const { handle, query, body, answer } = found;
    const data = handle?.data ?? answer?.schema;
    const native: FastifySchema = input.schema ?? {};
    const schema: FastifySchema = {
      ...native,
      ...part("params", handle?.params),
      ...part("querystring", handle?.query ?? query?.schema),
      ...part("body", handle?.body ?? body?.schema),
      ...(data === undefined
        ? {}
        : { response: { 200: older(data), 401: Refusal, 429: Refusal, 500: Refusal } }),
    };
    return jsonSchemaTransform({ ...input, schema });
  };
}

function part(name: "params" | "querystring" | "body", schema: z.ZodType | undefined): FastifySchema {
  return schema === undefined ? {} : { [name]: schema };
}

/** A success or, with the same status, a refusal. Some of One Hub's responses have no data. */
function older(data: z.ZodType): z.ZodType {
  const isNothing = data instanceof z.ZodUndefined || data instanceof z.ZodVoid;
  const success = { success: z.boolean(), message: z.string() };
  return z.union([isNothing ? z.object(success) : z.object({ ...success, data }), Refusal]);
}

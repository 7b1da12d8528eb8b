import type { FastifyInstance } from "fastify";
import { type GatewayError, invalidFields } from "#errors.ts";

/** Maximum size of a request body, in bytes. The gateway's own limit is much higher. */
const BODY_LIMIT = 1_048_576;

/** Maximum nesting of objects and lists. Stored values need fewer than ten levels. */
const DEPTH_LIMIT = 64;

/**
 * Parses every body as JSON, whatever its Content-Type: `curl -d` labels it as a form. Requests from other
 * sites' pages are rejected by origin.ts, not by the content type. An empty body counts as none.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>(
    "*",
    { parseAs: "string", bodyLimit: BODY_LIMIT },
    (request, text, done) => {
      if (text === "") done(null, undefined);
      else
        void parseJson(request, text, (error, body) => {
          done(error ?? faultIn(body) ?? null, body);
        });
    },
  );
}

/**
 * Returns an error for values that no field may contain: text that Postgres cannot store (U+0000, a lone
 * surrogate), and nesting too deep for functions that walk over a value. Undefined if there are none. Works
 * without recursion.
 */
export function faultIn(value: unknown): GatewayError | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path: "", depth: 0 }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { path, depth } = part;
    if (typeof part.value === "string") {
      const reason = faultOf(part.value, "text");
      if (reason !== undefined) return invalidFields({ [path]: { reason } });
    }
    if (typeof part.value !== "object" || part.value === null) continue;
    if (depth >= DEPTH_LIMIT)
      return invalidFields({
        [path.split(".", 1).join()]: { reason: "too_deep", maximum: DEPTH_LIMIT },
      });
    for (const [name, child] of Object.entries(part.value)) {
      const reason = faultOf(name, "name");
      if (reason !== undefined) return invalidFields({ [path]: { reason } });
      open.push({ value: child, path: path === "" ? name : `${path}.${name}`, depth: depth + 1 });
    }
  }
  return undefined;
}

function faultOf<What extends "text" | "name">(
  text: string,
  what: What,
): `${What}_nul` | `${What}_surrogate` | undefined {
  if (text.includes("\0")) return `${what}_nul`;
  return text.isWellFormed() ? undefined : `${what}_surrogate`;
}

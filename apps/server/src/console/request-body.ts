import type { FastifyInstance } from "fastify";
import { GatewayError } from "#errors.ts";

/** Bytes of a request body; the gateway next endpoint takes far more. */
const BODY_LIMIT = 1_048_576;

/** Levels of objects and lists within each other. What we store needs fewer than ten. */
const DEPTH_LIMIT = 64;

/**
 * Every body is JSON, whatever its Content-Type says: `curl -d` labels it as a form. Whether a page of another site
 * sent it is decided by origin.ts, not by the label. An empty body is none.
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
 * What no field may hold, or undefined: text that Postgres cannot store (U+0000, half of a surrogate pair), and more
 * levels than any function that walks over a value can bear. Looks at every part without recursion.
 */
export function faultIn(value: unknown): GatewayError | undefined {
  const open: { value: unknown; path: string; depth: number }[] = [{ value, path: "", depth: 0 }];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const { path, depth } = part;
    if (typeof part.value === "string") {
      const sentence = faultOfText(part.value);
      if (sentence !== undefined) return refusal(path, sentence);
    }
    if (typeof part.value !== "object" || part.value === null) continue;
    if (depth >= DEPTH_LIMIT)
      return refusal(path.split(".", 1).join(), `It has more than ${DEPTH_LIMIT} levels`);
    for (const [name, child] of Object.entries(part.value)) {
      const sentence = faultOfText(name);
      if (sentence !== undefined) return refusal(path, `A name in it is not valid: ${sentence}`);
      open.push({ value: child, path: path === "" ? name : `${path}.${name}`, depth: depth + 1 });
    }
  }
  return undefined;
}

function faultOfText(text: string): string | undefined {
  if (text.includes("\0")) return "Text must not contain the character U+0000";
  if (!text.isWellFormed()) return "Text must not contain half of a surrogate pair";
  return undefined;
}

function refusal(path: string, sentence: string): GatewayError {
  if (path === "") return new GatewayError("invalid_request", `${sentence}.`);
  return new GatewayError("invalid_request", `${path}: ${sentence}.`, {
    fields: { [path]: sentence },
    param: path,
  });
}

import { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError, invalidFields } from "#errors.ts";
import { decompressedPieces, isCompressed } from "#platform/body/compressed-body.ts";
import { createJsonScan, requireNarrowObjects } from "#platform/body/json-scan.ts";
import { SILENCE_MS } from "#platform/body/sender-pace.ts";
import { networkOf } from "#platform/http/network-of.ts";

/** Maximum size of a request body, in bytes. The gateway's own limit is much higher. */
const BODY_LIMIT = 1_048_576;

/** Bytes of bodies that one account, or the guests of one address, may be sending to this node. */
const MOST_AT_ONCE = 16 * BODY_LIMIT;
const RETRY_SECONDS = 5;

const noFields: ReadonlySet<string> = new Set();

/** Maximum nesting of objects and lists. Stored values need fewer than ten levels. */
const DEPTH_LIMIT = 64;

/** Limits of its values. */
const LIMITS = { depth: DEPTH_LIMIT, values: 100_000, containers: 20_000, keys: 20_000 };
/** Maximum length of a list. The longest are the models of a channel, and prices of all models. */
export const MOST_ITEMS = 5_000;

/**
 * Parses every body as JSON, whatever its Content-Type: `curl -d` labels it as a form. Requests from other
 * sites' pages are rejected by origin.ts, not by the content type. An empty body counts as none.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addHook("preParsing", async (request, reply, payload) => {
    countBody(request, reply);
    const coding = request.headers["content-encoding"];
    if (!isCompressed(coding)) return payload;
    const whole = Readable.from(decompressedPieces(request.raw, coding, SILENCE_MS), { objectMode: false });
    // A body that is too large is not read to its end, and no one listens for its errors any more.
    whole.on("error", () => {});
    reply.raw.once("close", () => whole.destroy());
    // Fastify compares this with the length that the client announced.
    const receivedEncodedLength = Number(request.headers["content-length"] ?? 0);
    return Object.assign(whole, { receivedEncodedLength });
  });
  app.addContentTypeParser<Buffer>(
    "*",
    { parseAs: "buffer", bodyLimit: BODY_LIMIT },
    (request, bytes, done) => {
      if (bytes.length === 0) return done(null, undefined);
      try {
        requireFewValues(bytes);
      } catch (error) {
        return done(error as Error);
      }
      void parseJson(request, bytes.toString("utf8"), (error, body) => {
        done(error ?? faultIn(body) ?? null, body);
      });
    },
  );
}

const sentBy = new Map<string, number>();

/** Counts a body, which is in memory until the response ends. Throws `rate_limit_exceeded` for too many at once. */
function countBody({ raw, viewer, ip, routeOptions }: FastifyRequest, { raw: response }: FastifyReply): void {
  const { "content-length": length, "transfer-encoding": encoding, "content-encoding": coding } = raw.headers;
  if ((length === undefined && encoding === undefined) || response.closed) return;
  const most = routeOptions.bodyLimit ?? BODY_LIMIT;
  const bytes = length === undefined || isCompressed(coding) ? most : Math.min(Number(length), most);
  const account = viewer?.id;
  const sender = account === undefined ? networkOf(ip) : `account ${account}`;
  const others = sentBy.get(sender) ?? 0;
  if (others > 0 && others + bytes > MOST_AT_ONCE)
    throw new GatewayError(
      "rate_limit_exceeded",
      { reason: account === undefined ? "too_many_from_address" : "too_many_of_account" },
      { retryAfter: RETRY_SECONDS },
    );
  sentBy.set(sender, others + bytes);
  response.once("close", () => {
    const left = (sentBy.get(sender) ?? bytes) - bytes;
    if (left > 0) sentBy.set(sender, left);
    else sentBy.delete(sender);
  });
}

/** Throws `body_too_large` for a text that takes long to parse: also visitors without an account may send one. */
function requireFewValues(bytes: Buffer): void {
  const scan = createJsonScan(LIMITS);
  try {
    scan.push(bytes);
  } catch (error) {
    const isTooDeep = error instanceof GatewayError && error.params["reason"] === "body_too_deep";
    if (!isTooDeep) throw error;
    const { start, end } = scan.outerField();
    const field = end > start ? bytes.toString("utf8", start, end) : "0";
    throw invalidFields({ [field]: { reason: "too_deep", maximum: DEPTH_LIMIT } });
  }
  requireNarrowObjects(bytes, scan, noFields);
}

/**
 * Returns an error for values that no field may contain: text that Postgres cannot store (U+0000, a lone
 * surrogate), nesting too deep for functions that walk over a value, and lists that take long to validate: the schema
 * reports every wrong item, even of a list that is too long. Undefined if there are none. Works
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
    if (Array.isArray(part.value) && part.value.length > MOST_ITEMS)
      return invalidFields({ [path]: { reason: "list_too_long", maximum: MOST_ITEMS } });
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

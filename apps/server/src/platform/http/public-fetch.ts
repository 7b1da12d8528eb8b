import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { ErrorParams, FieldIssue } from "@gateway/shared/errors";
import ipaddr from "ipaddr.js";
import { Agent, errors, fetch as undiciFetch, request } from "undici";
import { GatewayError } from "#errors.ts";

/**
 * Fetches addresses that a person or a request supplied. It reaches public machines only, because our own
 * network must not be readable through the gateway. Names are checked when the connection is made, so DNS
 * rebinding has no effect.
 */
export interface PublicFetchOptions {
  /** Time limit of the whole response, redirects included. */
  timeoutMs?: number;
  maxBytes?: number;
  /** For tests, whose servers run on this machine. */
  mayReach?: (address: string) => boolean;
  /** Root configured the address, so its own server may be private, also after a redirect within it. */
  mayBePrivate?: boolean;
  /** Of the last response: if the server reports that it is unchanged, so does the result. */
  etag?: string;
  /** Aborts the fetch when its result is no longer needed. */
  signal?: AbortSignal;
  /** Called before each piece is kept. An error it throws ends the transfer and reaches the caller. */
  onPiece?: (bytes: number) => Promise<void>;
}

/** The result of a fetch. */
export interface FetchedFile {
  /** Lower case, without parameters; "" when the server sent none. */
  mediaType: string;
  bytes: Buffer;
  /** Set when the server sent one. */
  etag?: string;
  /** The response is the one of `etag`. `bytes` is then empty. */
  isUnchanged?: true;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** Fetches text. Throws `invalid_request` with the reason. */
export async function fetchPublicText(address: string, options: PublicFetchOptions = {}): Promise<string> {
  const { bytes } = await fetchPublic(address, options);
  return bytes.toString("utf8");
}

/** Fetches bytes. Throws `invalid_request` with the reason. */
export async function fetchPublic(address: string, options: PublicFetchOptions = {}): Promise<FetchedFile> {
  const { timeoutMs = 10_000, mayReach = isPublicAddress, mayBePrivate = false } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  const ownOrigin = mayBePrivate && URL.canParse(address) ? new URL(address).origin : undefined;
  let next = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const isOwn = ownOrigin !== undefined && URL.canParse(next) && new URL(next).origin === ownOrigin;
    const answer = await fetchOnce(next, { ...options, mayReach: isOwn ? () => true : mayReach, signal });
    if (typeof answer !== "string") return answer;
    next = answer;
  }
  throw addressRefused({ reason: "address_redirects" });
}

type OneFetchOptions = PublicFetchOptions & Required<Pick<PublicFetchOptions, "mayReach" | "signal">>;

/** Returns the file, or the address of a redirect. */
async function fetchOnce(
  address: string,
  { mayReach, signal, etag: known, maxBytes = 10_000_000, onPiece }: OneFetchOptions,
): Promise<FetchedFile | string> {
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(mayReach) } });
  try {
    const url = checkedUrl(address, mayReach);
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      signal,
      headers: {
        accept: "application/json, */*;q=0.5",
        "user-agent": "gateway",
        ...(known && { "if-none-match": known }),
      },
    });
    const location = headers["location"];
    if (redirects.has(statusCode) && typeof location === "string") {
      await body.dump();
      return new URL(location, url).href;
    }
    if (statusCode === 304 && known) {
      await body.dump();
      return { mediaType: "", bytes: Buffer.alloc(0), isUnchanged: true };
    }
    if (statusCode !== 200) throw addressRefused({ reason: "address_status", status: statusCode });
    const etag = headers["etag"];
    return {
      mediaType: mediaTypeOf(headers),
      bytes: await readBytes(body, maxBytes, onPiece),
      ...(typeof etag === "string" && { etag }),
    };
  } catch (error) {
    throw explainError(error, signal);
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Posts JSON text to an address that an operator configured. Follows no redirect. Resolves for any status;
 * throws `invalid_request` when there is no response.
 */
export async function postToPublic(
  address: string,
  body: string,
  headers: Record<string, string> = {},
  options: PublicFetchOptions = {},
): Promise<{ status: number; text: string }> {
  const { timeoutMs = 10_000, maxBytes = 100_000, mayReach = isPublicAddress } = options;
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(mayReach) } });
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(checkedUrl(address, mayReach), {
      method: "POST",
      dispatcher,
      signal,
      body,
      headers: { ...headers, "content-type": "application/json; charset=utf-8", "user-agent": "gateway" },
    });
    return {
      status: answer.statusCode,
      text: (await readBytes(answer.body, maxBytes, options.onPiece)).toString("utf8"),
    };
  } catch (error) {
    throw explainError(error, signal);
  } finally {
    await dispatcher.destroy();
  }
}

/** Maximum size of a response of a payment gateway or identity provider, in bytes. Their responses have a few KB. */
const MAX_FETCHED_BYTES = 2 * 1024 * 1024;

/** Limits of a `fetch`, where those for short responses do not fit. */
export interface FetchLimits {
  /** Maximum size of a response, in bytes. */
  maxBytes?: number;
  /** Maximum wait for the head of a response, and for its next bytes. */
  silenceMs?: number;
}

function agentLimits({ maxBytes = MAX_FETCHED_BYTES, silenceMs }: FetchLimits) {
  const silence = silenceMs === undefined ? {} : { headersTimeout: silenceMs, bodyTimeout: silenceMs };
  return { maxResponseSize: maxBytes, ...silence };
}

/**
 * Returns a `fetch` that reaches public addresses only, for code that takes a `fetch` and calls addresses
 * that an administrator configured. Rejects redirects. Rejects with `invalid_request`.
 */
export function publicFetch(
  mayReach: (address: string) => boolean = isPublicAddress,
  limits: FetchLimits = {},
): typeof globalThis.fetch {
  const dispatcher = new Agent({
    connect: { lookup: guardedLookup(mayReach) },
    pipelining: 0,
    ...agentLimits(limits),
  });
  return async (input, init = {}) => {
    const url = checkedUrl(input instanceof Request ? input.url : String(input), mayReach);
    try {
      // undici's fetch and its dispatcher must be used together. Its types equal those of the platform.
      const options = { ...init, redirect: "error", dispatcher } as Parameters<typeof undiciFetch>[1];
      return withinSize(await undiciFetch(url, options), limits);
    } catch (error) {
      if (error instanceof Error && error.cause instanceof GatewayError) throw error.cause;
      throw error;
    }
  };
}

/** Returns a `fetch` for addresses that root configured, also in a private network, with a limit on the response. */
export function boundedFetch(limits: FetchLimits = {}): typeof globalThis.fetch {
  const dispatcher = new Agent(agentLimits(limits));
  return async (input, init = {}) => {
    // As above: undici's fetch and its dispatcher must be used together.
    const options = { ...init, dispatcher } as Parameters<typeof undiciFetch>[1];
    return withinSize(await undiciFetch(input as Parameters<typeof undiciFetch>[0], options), limits);
  };
}

/** Limits a compressed response after its decompression. The dispatcher counts the bytes before it. */
function withinSize(response: Response, { maxBytes = MAX_FETCHED_BYTES }: FetchLimits): Response {
  if (response.body === null || !response.headers.has("content-encoding")) return response;
  let bytes = 0;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      // The error that `fetch` has for a response without compression.
      else
        controller.error(new TypeError("terminated", { cause: new errors.ResponseExceededMaxSizeError() }));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
}

/**
 * Returns true for addresses of the public internet. Excludes IANA's special-purpose registries, and two
 * addresses that a cloud serves inside its own network only.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4") return !matches(parsed, special4);
  // The last 32 bits of some ranges are an IPv4 address that the packet is delivered to.
  return matches(parsed, [global6]) && !matches(parsed, special6);
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];
const ranges = (texts: readonly string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text));

const special4 = ranges([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32", // Azure's agent and name server
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
]);

/**
 * Range that IANA has allocated for unicast. IPv4-mapped and -compatible, NAT64, unique local and link-local
 * addresses lie outside.
 */
const global6: Range = ipaddr.parseCIDR("2000::/3");
const special6 = ranges([
  "2001::/23", // Teredo, ORCHID, benchmarking, AMT and others
  "2001:db8::/32",
  "2002::/16", // 6to4: an IPv4 address is inside
  "2620:4f:8000::/48",
  "3fff::/20",
]);

function matches(address: ipaddr.IPv4 | ipaddr.IPv6, list: readonly Range[]): boolean {
  return list.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

function checkedUrl(address: string, mayReach: (address: string) => boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw addressRefused({ reason: "http_address" });
  }
  // A name is checked when it is resolved. A literal address is never resolved, so it is checked here.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (ipaddr.isValid(host) && !mayReach(host)) throw notPublic();
  return url;
}

function guardedLookup(mayReach: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, "", 0);
      const [first] = found;
      if (first === undefined || !found.every(({ address }) => mayReach(address))) {
        return callback(notPublic(), "", 0);
      }
      if (options.all === true) callback(null, found);
      else callback(null, first.address, first.family);
    });
  };
}

function mediaTypeOf(headers: Record<string, string | string[] | undefined>): string {
  const [type = ""] = String(headers["content-type"] ?? "").split(";");
  return type.trim().toLowerCase();
}

async function readBytes(
  body: AsyncIterable<Buffer>,
  maxBytes: number,
  onPiece: PublicFetchOptions["onPiece"],
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > maxBytes)
      throw addressRefused({
        reason: "address_answer_too_large",
        megabytes: Math.floor(maxBytes / 1_000_000),
      });
    await onPiece?.(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function explainError(error: unknown, signal: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof Error && error.cause instanceof GatewayError) return error.cause;
  if (signal.aborted) return addressRefused({ reason: "address_timeout" });
  return addressRefused({ reason: "address_unreachable" }, error);
}

function notPublic(): GatewayError {
  return addressRefused({ reason: "address_not_public" });
}

/**
 * Errors name the field `url`, for callers that received the address themselves; elsewhere the name would
 * mean nothing.
 */
function addressRefused(issue: FieldIssue, cause?: unknown): GatewayError {
  // This issue belongs to a field but stands alone here.
  const given = { ...issue } as ErrorParams<"invalid_request">;
  return new GatewayError("invalid_request", given, { field: "url", cause });
}

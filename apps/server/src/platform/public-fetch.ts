import { lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, request } from "undici";
import { GatewayError } from "#errors.ts";

/**
 * Fetches an address that a person or a request named, and reaches public machines only: what stands in our own
 * network must not be readable through us. Names are checked when the connection is made, so a name that changes its
 * mind in between changes nothing.
 */
export interface PublicFetchOptions {
  /** For the whole answer, redirects included. */
  timeoutMs?: number;
  maxBytes?: number;
  /** For tests, whose servers are on this machine. */
  mayReach?: (address: string) => boolean;
  /** Aborts when nobody wants the answer any more. */
  signal?: AbortSignal;
  /** Called before each piece is kept; what it throws ends the transfer and reaches the caller. */
  onPiece?: (bytes: number) => void | Promise<void>;
}

/** What was found at an address. */
export interface Fetched {
  /** Lower case, without parameters; "" when the server did not say. */
  mediaType: string;
  bytes: Buffer;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 5;

/** Throws `invalid_request` with a sentence that says what went wrong. */
export async function fetchPublicText(address: string, options: PublicFetchOptions = {}): Promise<string> {
  const { bytes } = await fetchPublic(address, options);
  return bytes.toString("utf8");
}

/** The same, for what is no text. */
export async function fetchPublic(address: string, options: PublicFetchOptions = {}): Promise<Fetched> {
  const { timeoutMs = 10_000, maxBytes = 10_000_000, mayReach = isPublicAddress } = options;
  const dispatcher = new Agent({ connect: { lookup: guardedLookup(mayReach) } });
  const late = AbortSignal.timeout(timeoutMs);
  const signal = options.signal === undefined ? late : AbortSignal.any([late, options.signal]);
  try {
    let url = checkedUrl(address, mayReach);
    for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
      const { statusCode, headers, body } = await request(url, {
        dispatcher,
        signal,
        headers: { accept: "application/json, */*;q=0.5", "user-agent": "gateway" },
      });
      const location = headers["location"];
      if (redirects.has(statusCode) && typeof location === "string") {
        await body.dump();
        url = checkedUrl(new URL(location, url).href, mayReach);
        continue;
      }
      if (statusCode !== 200) {
        throw refused(`The address answered with status ${statusCode}.`);
      }
      return { mediaType: mediaTypeOf(headers), bytes: await readBytes(body, maxBytes, options.onPiece) };
    }
    throw refused("The address redirects too often.");
  } catch (error) {
    throw explained(error, signal);
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Posts JSON text to an address that an operator named; no redirect is followed. Any status is an answer. Throws
 * `invalid_request` with a sentence when there is none.
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
    throw explained(error, signal);
  } finally {
    await dispatcher.destroy();
  }
}

/** True for addresses of the public internet; not for this machine, private networks or reserved ranges. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast";
}

function checkedUrl(address: string, mayReach: (address: string) => boolean): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw refused("The address must be an http or https URL");
  }
  // A name is checked when it is looked up; an address never is.
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
    if (size > maxBytes) throw refused(`The answer is larger than ${Math.floor(maxBytes / 1_000_000)} MB.`);
    await onPiece?.(part.length);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function explained(error: unknown, signal: AbortSignal): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof Error && error.cause instanceof GatewayError) return error.cause;
  if (signal.aborted) return refused("The address did not answer in time.");
  return refused("The address cannot be reached.", error);
}

function notPublic(): GatewayError {
  return refused("Only public addresses can be fetched.");
}

function refused(sentence: string, cause?: unknown): GatewayError {
  return new GatewayError("invalid_request", sentence, { fields: { url: sentence }, cause });
}

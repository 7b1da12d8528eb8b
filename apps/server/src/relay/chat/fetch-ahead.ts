/**
 * Fetches images, audio and files that a caller gave as URLs, for providers that need their bytes. Fetches
 * begin after the reservation, a few at a time, with the client that reaches public addresses only. The bytes
 * count in the memory budget before they are kept.
 */
import {
  type AddressedPart,
  type InlineMedia,
  addressedParts,
  withBytes,
} from "#dialects/media/addressed.ts";
import { typeOfBytes } from "#dialects/media/media-type.ts";
import { spendingOf } from "#dialects/usage/spending.ts";
import { mapModel } from "#domain/channels/selection/active-channel.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { GatewayError, atField, invalidRequest } from "#errors.ts";
import { abortSignalOf } from "#platform/http/cancellation.ts";
import type { PlannedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { upstreamFor } from "#relay/core/upstream/send.ts";
import type { ChatCall } from "./chat-call.ts";
import { wantsBytes } from "./fit-request.ts";

const MAX_ADDRESSES = 32;
const MAX_FILE_BYTES = 24 * 1024 * 1024;
/** Same limit as for a request body. */
const MAX_ALL_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** Concurrent fetches of one call. */
const AT_ONCE = 4;
/** Copies of a file in memory: bytes, base64, and the body that is sent. */
const COPIES = 3;

/**
 * Fetches what any channel of the plan needs, and estimates the call again. Returns the call with the files, or
 * undefined when nothing is needed. Throws `invalid_request` with the path of the URL.
 * @param sent the call as it is sent
 */
export async function fetchAhead(
  services: Services,
  sent: ChatCall,
  { received, model, plan }: PlannedCall<ChatCall>,
): Promise<ChatCall | undefined> {
  const { client, request } = sent;
  const tests = plan.routeGroups.flatMap(({ channels }) =>
    channels.map((channel) => {
      const { upstream } = mapModel(channel, model);
      return wantsBytes(channel.provider, upstreamFor(channel, client.id, upstream, request), client.id);
    }),
  );
  const mustFetch = (part: AddressedPart) => tests.some((test) => test(part));
  const parts = addressedParts(request, mustFetch);
  if (parts.length === 0) return undefined;
  const fetched = await fetchAll(services, sent, parts);
  const { DefaultMaxOutputTokens } = services.settings.current();
  const estimate = estimateUsage(withBytes(request, fetched, mustFetch), {
    maxOutputTokens: DefaultMaxOutputTokens,
    spending: spendingOf(sent.body, request, sent),
  });
  return { ...received, fetched, estimate };
}

type Services = Pick<RelayServices, "settings" | "fetchPublic" | "memory">;

async function fetchAll(
  services: Services,
  call: ChatCall,
  parts: AddressedPart[],
): Promise<Map<string, InlineMedia>> {
  const kinds = new Map(parts.map((part) => [part.source.url, part]));
  if (kinds.size > MAX_ADDRESSES) throw invalidRequest({ reason: "too_many_addresses", most: MAX_ADDRESSES });
  const others = new AbortController();
  const signal = AbortSignal.any([abortSignalOf(call.signal), others.signal]);
  // The endpoint releases the call's memory. Without an endpoint, count the files only while they are read.
  const own =
    call.memory === undefined
      ? await services.memory.acquire(0, { owner: `user${call.caller.userId}`, signal })
      : undefined;
  const memory = call.memory ?? own;
  let size = 0;
  const onPiece = async (bytes: number) => {
    size += bytes;
    if (size > MAX_ALL_BYTES)
      throw invalidRequest({ reason: "files_too_large", megabytes: MAX_ALL_BYTES / 1024 / 1024 });
    await memory?.add(bytes * COPIES);
  };
  const one = async ([url, part]: [string, AddressedPart]): Promise<[string, InlineMedia]> => {
    try {
      const limits = { timeoutMs: TIMEOUT_MS, maxBytes: MAX_FILE_BYTES };
      const found = await services.fetchPublic(url, { ...limits, signal, onPiece });
      const mediaType = typeOfBytes(found.bytes, part.source.mediaType ?? found.mediaType, url);
      if (part.type !== "file" && !mediaType.startsWith(`${part.type}/`))
        throw invalidRequest({
          reason: part.type === "image" ? "fetched_not_image" : "fetched_not_audio",
          mediaType,
        });
      return [url, { mediaType, data: found.bytes.toString("base64") }];
    } catch (error) {
      others.abort();
      throw error instanceof GatewayError && error.code === "invalid_request"
        ? withPath(error, call.body, url)
        : error;
    }
  };
  const waiting = [...kinds];
  const fetched = new Map<string, InlineMedia>();
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [url, bytes] = await one(next);
      fetched.set(url, bytes);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, kinds.size) }, worker));
    return fetched;
  } finally {
    own?.release();
  }
}

/** Returns the error with the URL's path in the caller's body. */
function withPath(error: GatewayError, body: unknown, url: string): GatewayError {
  const path = pathOf(body, url);
  return path === undefined ? error : atField(error, path);
}

/** Returns the path of a text in a JSON value, e.g. `messages.0.content.1.image_url.url`. */
function pathOf(value: unknown, text: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (inner === text) return key;
    const below = pathOf(inner, text);
    if (below !== undefined) return `${key}.${below}`;
  }
  return undefined;
}

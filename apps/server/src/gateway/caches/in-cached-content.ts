import type { Wire } from "#dialects/dialect.ts";
import { asRecord } from "#dialects/wire.ts";
import type { CachedContent } from "#domain/responses/cached-contents.ts";
import { accessOf } from "#gateway/access/access.ts";
import type { ReadTurn } from "#gateway/chat/chat.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { requireCachedContent } from "./cached-contents.ts";

/**
 * Returns the reader of calls that may continue a cached content. Such a call goes to the channel and key that hold the
 * content. Throws `not_found` for a content of another key.
 */
export function withCachedContent({ db }: Pick<GatewayServices, "db">, read: ReadTurn): ReadTurn {
  return async (request, select) => {
    const decoded = await read(request, select);
    const access = accessOf(request);
    // An administrator who names the channel may use what its provider keeps.
    const names = access.pin?.only === undefined ? namesIn(decoded.body) : [];
    let content: CachedContent | undefined;
    for (const name of names) content = await requireCachedContent(db, name, access);
    if (content === undefined) return decoded;
    const { tokens, channelId, keyId } = content;
    const home = { channel: channelId, key: keyId ?? undefined };
    return {
      ...decoded,
      turn: { ...decoded.turn, earlierTokens: tokens, pin: { ...decoded.turn.pin, home } },
    };
  };
}

/** Returns the names of cached contents in all places and spellings that may reach a provider. */
function namesIn(body: Wire): string[] {
  const counted = asRecord(body["generateContentRequest"] ?? body["generate_content_request"]);
  return [body, counted ?? {}]
    .flatMap((place) => [place["cachedContent"], place["cached_content"]])
    .filter((name) => typeof name === "string")
    .filter((name) => name !== "");
}

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
    const name = decoded.body["cachedContent"] ?? decoded.body["cached_content"];
    const access = accessOf(request);
    // An administrator who names the channel may use what its provider keeps.
    if (typeof name !== "string" || name === "" || access.pin?.only !== undefined) return decoded;
    const { tokens, channelId, keyId } = await requireCachedContent(db, name, access);
    const home = { channel: channelId, key: keyId ?? undefined };
    return {
      ...decoded,
      turn: { ...decoded.turn, earlierTokens: tokens, pin: { ...decoded.turn.pin, home } },
    };
  };
}

import { rememberResponse, type StoredKind, type StoredTurn } from "#domain/responses/stored.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import type { GatewayServices } from "#gateway/services.ts";
import type { PricedTarget } from "#relay/core/call.ts";

/** A response that later calls of its owner may refer to. */
export interface MadeResponse {
  kind: StoredKind;
  id: string;
  /** Model name of the request. */
  model: string;
  /** Length of the conversation up to and including the response. Default: unknown. */
  tokens?: number;
  /** Null if the provider stores the conversation. */
  turn: StoredTurn | null;
}

/**
 * Stores the response of a call. Never fails the call: what cannot be stored is only missing later.
 * @param made returns undefined for a response that is not stored
 */
export async function storeResponse(
  services: GatewayServices,
  { userId, tokenId }: Caller,
  { channel, key }: Pick<PricedTarget, "channel" | "key">,
  made: () => MadeResponse | undefined,
): Promise<void> {
  try {
    const response = made();
    if (response === undefined) return;
    const { tokens = 0, ...rest } = response;
    const owner = { userId, tokenId, channelId: channel.id, keyId: key?.id ?? null };
    await rememberResponse(services.db, { ...rest, tokens, ...owner });
  } catch (error) {
    services.relay.onError(error);
  }
}

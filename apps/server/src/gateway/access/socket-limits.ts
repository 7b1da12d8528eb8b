/**
 * Maximum size of one WebSocket message from a client, in bytes. Clients may append fifteen megabytes of
 * audio at once.
 */
export const MAX_MESSAGE = 16 * 1024 * 1024;
const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.";

export function isBeta(protocol: string): boolean {
  return protocol.startsWith(BETA_PROTOCOL);
}

/**
 * Returns the subprotocol to accept. Browsers require one of those they offered; the one with the key must
 * not be repeated.
 */
export function chooseProtocol(protocols: Set<string>): string | false {
  if (protocols.has("realtime")) return "realtime";
  const plain = [...protocols].find((protocol) => !protocol.startsWith(KEY_PROTOCOL) && !isBeta(protocol));
  return plain ?? [...protocols][0] ?? false;
}

/** What holds for every WebSocket of clients. */

/** Bytes of one message. A client may append fifteen megabytes of sound at once. */
export const MAX_MESSAGE = 16 * 1024 * 1024;
const KEY_PROTOCOL = "openai-insecure-api-key.";
const BETA_PROTOCOL = "openai-beta.";

export function isBeta(protocol: string): boolean {
  return protocol.startsWith(BETA_PROTOCOL);
}

/** A browser that offers protocols wants one of them back; its key is not for repeating. */
export function chooseProtocol(protocols: Set<string>): string | false {
  if (protocols.has("realtime")) return "realtime";
  const plain = [...protocols].find((protocol) => !protocol.startsWith(KEY_PROTOCOL) && !isBeta(protocol));
  return plain ?? [...protocols][0] ?? false;
}

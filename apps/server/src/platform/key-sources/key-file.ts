import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { errorCodeOf } from "#platform/error-code.ts";
import { keyIn, KeyUnavailableError, type KeyValue, MAX_KEY_BYTES } from "./key-value.ts";

/**
 * Reads a key from a file below the folder. Links are followed only within the folder, as in the secrets that
 * Kubernetes mounts.
 */
export async function readKeyFile(folder: string | undefined, path: string): Promise<KeyValue> {
  if (folder === undefined) throw new KeyUnavailableError("CHANNEL_KEYS_DIR is not set");
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, path));
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep))
      throw new KeyUnavailableError("it is outside of CHANNEL_KEYS_DIR");
    return { text: keyIn(await readSmallFile(file)) };
  } catch (error) {
    throw fileFailure(error);
  }
}

/** Returns the error to throw when a file could not be read. */
export function fileFailure(error: unknown): KeyUnavailableError {
  if (error instanceof KeyUnavailableError) return error;
  const code = errorCodeOf(error) ?? "an error";
  return new KeyUnavailableError(reasons.get(code) ?? `reading the file failed with ${code}`);
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["EACCES", "the gateway may not read the file"],
  ["EISDIR", "it is a folder"],
]);

/** Reads a file of at most 16 KB. @param file a path without links */
export async function readSmallFile(file: string): Promise<string> {
  // Not blocking: a named pipe would never open. Not through a link: the path has none left.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    if (!(await handle.stat()).isFile()) throw new KeyUnavailableError("it is not a file");
    const bytes = Buffer.alloc(MAX_KEY_BYTES + 1);
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    if (bytesRead > MAX_KEY_BYTES)
      throw new KeyUnavailableError(`the file is longer than ${MAX_KEY_BYTES} bytes`);
    return bytes.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

import { realpath } from "node:fs/promises";
import { fileFailure, readSmallFile } from "./key-file.ts";
import { KeyUnavailableError } from "./key-value.ts";

/**
 * Reads a token that the platform renews in a file, such as that of a Kubernetes service account. Throws
 * KeyUnavailableError.
 * @param name what the message calls it
 */
export async function readTokenFile(file: string, name: string): Promise<string> {
  try {
    // Kubernetes mounts it as a link, which it replaces when it renews the token.
    const token = (await readSmallFile(await realpath(file))).trim();
    if (token === "") throw new KeyUnavailableError("it is empty");
    return token;
  } catch (error) {
    throw new KeyUnavailableError(`${name} cannot be read: ${fileFailure(error).message}`);
  }
}

import { randomBytes, randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCodeOf } from "./error-code.ts";

const leastLength = 32;

/**
 * Returns the process secret of an installation that was given none. It is generated once and kept in
 * DATA_DIR, where only its owner may read it. Nodes that start together on one folder use the same secret.
 * Throws a message when the file cannot be written, or exists but is unusable: another secret could not
 * decrypt the stored data.
 */
export async function readOrCreateSecret(dataDir: string): Promise<string> {
  const file = join(dataDir, "secret-key");
  const known = await readSecret(file);
  if (known !== undefined) return known;
  const draft = join(dataDir, `.secret-key-${randomUUID()}`);
  try {
    await writeFile(draft, `${randomBytes(leastLength).toString("base64url")}\n`, { mode: 0o600 });
  } catch (cause) {
    throw new Error(
      `The secret key cannot be stored in ${dataDir} (${cause instanceof Error ? cause.message : String(cause)}). ` +
        `Give the account that runs the gateway write access to this folder, or set SECRET_KEY.`,
      { cause },
    );
  }
  try {
    // link() creates the complete file or nothing, and the first node sets the secret.
    await link(draft, file);
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const kept = await readSecret(file);
  if (kept === undefined) throw unusable(file, "is gone again");
  return kept;
}

async function readSecret(file: string): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw unusable(file, `cannot be read (${error instanceof Error ? error.message : String(error)})`);
  }
  if (text.length >= leastLength) return text;
  throw unusable(file, text === "" ? "is empty" : `has only ${text.length} characters`);
}

function unusable(file: string, why: string): Error {
  return new Error(
    `The secret key in ${file} ${why}; at least ${leastLength} characters are needed. ` +
      `Restore the file from a backup, or set SECRET_KEY to the key that was used before. ` +
      `Only when nothing was stored yet, delete the file: the next start makes a new key, ` +
      `and nothing that was encrypted with the old one can be read.`,
  );
}

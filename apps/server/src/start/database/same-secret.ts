import { computeSecretCheck, secretCheckKey } from "#domain/settings/secret-check.ts";
import { revealKey } from "#domain/tokens/keys.ts";
import type { Db } from "#platform/database/db.ts";
import type { Secrets } from "#platform/secrets.ts";

/** Value with which an operator who has lost the key lets the next start replace it. */
const REPLACE = "replace";

/**
 * Throws when the database was used with another secret key: its API keys would not be found, and its channel keys
 * could not be decrypted. The first start of this version has no row to compare with, and tries a stored API key.
 */
export async function requireSameSecret(db: Db, secrets: Secrets): Promise<void> {
  const value = computeSecretCheck(secrets);
  const row = await db.option.findUnique({ where: { key: secretCheckKey } });
  if (row?.value === REPLACE) await db.option.update({ where: { key: secretCheckKey }, data: { value } });
  else if (row === null) {
    if (!(await opensStoredKey(db, secrets))) throw otherSecret();
    await db.option.createMany({ data: [{ key: secretCheckKey, value }], skipDuplicates: true });
  } else if (row.value !== value) throw otherSecret();
}

async function opensStoredKey(db: Db, secrets: Secrets): Promise<boolean> {
  const token = await db.token.findFirst({
    where: { key_encrypted: { not: new Uint8Array() } },
    orderBy: { id: "desc" },
  });
  if (token === null) return true;
  try {
    revealKey(secrets, token);
    return true;
  } catch {
    return false;
  }
}

function otherSecret(): Error {
  return new Error(
    "SECRET_KEY, or the file DATA_DIR/secret-key, differs from the one with which this database was set up. " +
      "Start with the earlier key: without it, stored API keys and channel keys cannot be used. " +
      `If that key is lost, set the value of '${secretCheckKey}' in the table options to '"${REPLACE}"', and enter all credentials again.`,
  );
}

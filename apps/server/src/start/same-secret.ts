import type { Db } from "#platform/database/db.ts";
import { sameSecret, type Secrets } from "#platform/secrets.ts";

/** Key of the row of `options` that identifies the secret key of this database. */
const KEY = "SecretKeyCheck";

/**
 * Throws when the database was used with another secret key: its API keys would not be found, and its channel keys
 * could not be decrypted.
 */
export async function requireSameSecret(db: Db, secrets: Secrets): Promise<void> {
  const own = secrets.hash(KEY);
  const value = Buffer.from(own).toString("base64");
  await db.option.createMany({ data: [{ key: KEY, value }], skipDuplicates: true });
  const row = await db.option.findUnique({ where: { key: KEY } });
  const known = Buffer.from(typeof row?.value === "string" ? row.value : value, "base64");
  if (sameSecret(known, own)) return;
  throw new Error(
    "SECRET_KEY, or the file DATA_DIR/secret-key, differs from the one with which this database was set up. " +
      "Start with the earlier key: without it, stored API keys and channel keys cannot be used. " +
      `If that key is lost, delete the row of options whose key is '${KEY}', and enter all credentials again.`,
  );
}

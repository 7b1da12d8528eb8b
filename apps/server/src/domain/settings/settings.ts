import { defaultSettings, secretSettings, type SettingKey, Settings } from "@gateway/shared/settings";
import { type Actor, audit } from "#domain/audit-log/audit.ts";
import { invalidRequest } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * The runtime settings of this installation. The database holds only what differs from the defaults; reading is from
 * memory, and a change is announced in the transaction that makes it.
 */
export interface SettingsStore {
  current(): Settings;
  /** `null` goes back to the default. Throws `invalid_request` for an unknown key or a value it cannot take. */
  set(actor: Actor, key: string, value: unknown): Promise<void>;
  reload(): Promise<void>;
}

export async function createSettings(db: PrismaClient, secrets: Secrets): Promise<SettingsStore> {
  let settings: Settings = defaultSettings;

  async function reload(): Promise<void> {
    const rows = await db.option.findMany();
    const differences: Record<string, unknown> = {};
    for (const row of rows) {
      if (!isSettingKey(row.key)) continue;
      const stored = isSecret(row.key) ? openValue(secrets, row.key, row.value) : row.value;
      const parsed = Settings.shape[row.key].safeParse(stored);
      // What an older version stored and this one cannot take counts as not set.
      if (parsed.success) differences[row.key] = parsed.data;
    }
    settings = { ...defaultSettings, ...differences };
  }

  async function set(actor: Actor, name: string, value: unknown): Promise<void> {
    const key = knownKey(name);
    const next = value === null ? defaultSettings[key] : parseValue(key, value);
    mayEnable(key, next, settings);
    await db.$transaction(async (tx) => {
      if (next === defaultSettings[key]) {
        await tx.option.deleteMany({ where: { key } });
      } else {
        const stored = isSecret(key) ? sealValue(secrets, key, next) : next;
        const row = { value: stored, updated_time: new Date() };
        await tx.option.upsert({ where: { key }, create: { key, ...row }, update: row });
      }
      const note = (shown: unknown) => ({ value: isSecret(key) && shown !== "" ? "***" : shown });
      await audit(tx, {
        actor,
        action: "setting.change",
        targetType: "setting",
        targetId: key,
        before: note(settings[key]),
        after: note(next),
      });
      await announce(tx, "settings");
    });
    await reload();
  }

  await reload();
  return { current: () => settings, set, reload };
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(Settings.shape, key);
}

function isSecret(key: SettingKey): boolean {
  return secretSettings.includes(key);
}

function knownKey(key: string): SettingKey {
  if (!isSettingKey(key)) throw invalidRequest(`There is no setting named "${key}".`, "key");
  return key;
}

/** Also takes a number or a switch written as text, as tools for the older API send it. */
function parseValue(key: SettingKey, value: unknown): string | number | boolean {
  const schema = Settings.shape[key];
  let parsed = schema.safeParse(value);
  if (!parsed.success && typeof value === "string" && /^(true|false|-?\d+(\.\d+)?)$/.test(value)) {
    parsed = schema.safeParse(JSON.parse(value));
  }
  if (parsed.success) return parsed.data;
  throw invalidRequest(`${key}: ${parsed.error.issues[0]?.message ?? "this value cannot be used"}.`, "value");
}

/** A sign-in that lacks its credentials would lock people out the moment it is switched on. */
function mayEnable(key: SettingKey, value: unknown, current: Settings): void {
  if (value !== true) return;
  if (key === "EmailVerificationEnabled") {
    throw invalidRequest("E-mail cannot be verified: no mail server (SMTP) is configured.", "value");
  }
  if (key !== "GitHubOAuthEnabled") return;
  if (current.GitHubClientId === "" || current.GitHubClientSecret === "") {
    throw invalidRequest(
      "Fill in the GitHub client id and secret before switching GitHub sign-in on.",
      "value",
    );
  }
}

function sealValue(secrets: Secrets, key: SettingKey, value: unknown): Prisma.InputJsonValue {
  return { sealed: Buffer.from(secrets.encrypt(String(value), contextOf(key))).toString("base64") };
}

/** Undefined when the row holds something else, or was sealed with another secret key. */
function openValue(secrets: Secrets, key: SettingKey, value: Prisma.JsonValue): unknown {
  const sealed =
    typeof value === "object" && value !== null && !Array.isArray(value) ? value["sealed"] : undefined;
  if (typeof sealed !== "string") return undefined;
  try {
    return secrets.decrypt(Buffer.from(sealed, "base64"), contextOf(key));
  } catch {
    return undefined;
  }
}

function contextOf(key: SettingKey): string {
  return `option:${key}`;
}

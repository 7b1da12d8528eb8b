import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { domainsOf } from "@gateway/shared/site/mail";
import { defaultSettings, secretSettings, type SettingKey, Settings } from "@gateway/shared/site/settings";
import type { z } from "zod";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { canMail } from "#domain/settings/mail-account.ts";
import { invalidFields } from "#errors.ts";
import { isFilledIn, noticeChannels } from "#notices/index.ts";
import { announce } from "#platform/announcements.ts";
import { currentTime } from "#platform/clock.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { identityProviders } from "#sign-in/index.ts";
import { isAvailable } from "#sign-in/provider.ts";

/**
 * The runtime settings of this installation. The database contains only values that differ from the defaults, and
 * `meaningfulDefaults`.
 * Reads use memory, and a change is announced in its transaction.
 */
export interface SettingsStore {
  current(): Settings;
  /** Whether an administrator set a value for this setting. The default counts only for `meaningfulDefaults`. */
  isSet(key: SettingKey): boolean;
  /**
   * Changes all values or none; `null` resets a value. Throws `invalid_request` with an issue per key for an
   * unknown key or an invalid value.
   */
  change(actor: Actor, values: Record<string, unknown>): Promise<void>;
  /** Changes one value, like `change`. */
  set(actor: Actor, key: string, value: unknown): Promise<void>;
  /**
   * Replaces one value by what `next` returns for the stored one. Simultaneous changes wait for each other, so
   * none is lost. Throws like `change`.
   */
  amend<Key extends SettingKey>(
    actor: Actor,
    key: Key,
    next: (stored: Settings[Key]) => Settings[Key],
  ): Promise<void>;
  reload(): Promise<void>;
}

export async function createSettings(db: PrismaClient, secrets: Secrets): Promise<SettingsStore> {
  let settings: Settings = defaultSettings;
  let given: ReadonlySet<SettingKey> = new Set();

  /**
   * Numbers of the last started and the last applied reload. An earlier reload never replaces the values of a
   * later one.
   */
  let begun = 0;
  let applied = 0;

  async function reload(): Promise<void> {
    const loadNumber = (begun += 1);
    const read = await readStoredSettings(db, secrets);
    if (loadNumber < applied) return;
    applied = loadNumber;
    settings = read.settings;
    given = read.given;
  }

  async function change(actor: Actor, values: SettingValues): Promise<void> {
    await db.$transaction((tx) => changeSettings(tx, secrets, actor, values));
    await reload();
  }

  await reload();
  return {
    current: () => settings,
    isSet: (key) => given.has(key),
    change,
    set: (actor, key, value) => change(actor, { [key]: value }),
    amend: (actor, key, next) => change(actor, (stored) => ({ [key]: next(stored[key]) })),
    reload,
  };
}

/** New values by setting, or a function that computes them from the stored ones. */
type SettingValues = Record<string, unknown> | ((stored: Settings) => Record<string, unknown>);

/** Changes settings in a transaction, like `SettingsStore.change`, and announces it. */
export async function changeSettings(
  tx: Prisma.TransactionClient,
  secrets: Secrets,
  actor: Actor,
  given: SettingValues,
): Promise<void> {
  // Invalid values wait for no other change.
  if (typeof given !== "function") parseValues(given);
  // One change at a time on all nodes, validated against the stored values instead of this node's cache.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.changeSettings}::bigint)`;
  const { settings: stored } = await readStoredSettings(tx, secrets);
  const values = typeof given === "function" ? given(stored) : given;
  const wanted = parseValues(values);
  mayApply(wanted, { ...stored, ...Object.fromEntries(wanted) });
  for (const [key, next] of wanted) {
    await store(tx, secrets, key, values[key] === null ? null : next);
    if (next === stored[key]) continue;
    const note = (shown: unknown) => ({ value: isSecret(key) && shown !== "" ? "***" : shown });
    await writeAudit(tx, {
      actor,
      action: "setting.change",
      targetType: "setting",
      targetId: key,
      before: note(stored[key]),
      after: note(next),
    });
  }
  await announce(tx, "settings");
}

/** Result of taking over settings from another gateway. */
export interface TakenSettings {
  taken: SettingKey[];
  /** Known keys with invalid values. */
  refused: string[];
  /** Settings that were disabled because they lack something they require. */
  switchedOff: SettingKey[];
  unknown: string[];
}

/**
 * Stores the settings of another gateway, in the transaction of the import. Invalid values do not abort the
 * import.
 */
export async function takeSettings(
  tx: Db,
  secrets: Secrets,
  values: Readonly<Record<string, string>>,
): Promise<TakenSettings> {
  const outcome: TakenSettings = { taken: [], refused: [], switchedOff: [], unknown: [] };
  const wanted = new Map<SettingKey, Value>();
  for (const [key, text] of Object.entries(values)) {
    if (!isSettingKey(key)) {
      outcome.unknown.push(key);
      continue;
    }
    const parsed = parseValue(key, text);
    if (parsed.success) wanted.set(key, parsed.data);
    else outcome.refused.push(key);
  }
  const { settings: stored } = await readStoredSettings(tx, secrets);
  const next: Settings = { ...stored, ...Object.fromEntries(wanted) };
  for (const { enabledBy, isReady } of switches)
    if (wanted.get(enabledBy) === true && !isReady(next)) {
      wanted.set(enabledBy, false);
      outcome.switchedOff.push(enabledBy);
    }
  for (const [key, value] of wanted) {
    await store(tx, secrets, key, value);
    outcome.taken.push(key);
  }
  return outcome;
}

/** Reads the settings from the database, in a transaction or without one. */
export async function readStoredSettings(
  db: Db,
  secrets: Secrets,
): Promise<{ settings: Settings; given: ReadonlySet<SettingKey> }> {
  const rows = await db.option.findMany();
  const values: Record<string, unknown> = {};
  const given = new Set<SettingKey>();
  for (const row of rows) {
    if (!isSettingKey(row.key)) continue;
    const stored = isSecret(row.key) ? openValue(secrets, row.key, row.value) : row.value;
    const parsed = Settings.shape[row.key].safeParse(stored);
    // Values of an older version that are now invalid count as not set.
    if (!parsed.success) continue;
    values[row.key] = parsed.data;
    given.add(row.key);
  }
  return { settings: { ...defaultSettings, ...values }, given };
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(Settings.shape, key);
}

function isSecret(key: SettingKey): boolean {
  return secretSettings.includes(key);
}

type Value = Settings[SettingKey];

/** Settings for which it matters that an administrator set them, even to the default. */
export const meaningfulDefaults: ReadonlySet<SettingKey> = new Set(["PaymentUSDRate"]);

/** @param value null resets to the default */
async function store(tx: Db, secrets: Secrets, key: SettingKey, value: Value | null): Promise<void> {
  if (value === null || (value === defaultSettings[key] && !meaningfulDefaults.has(key))) {
    await tx.option.deleteMany({ where: { key } });
    return;
  }
  const stored = isSecret(key) ? sealValue(secrets, key, value) : value;
  const row = { value: stored, updated_time: currentTime() };
  await tx.option.upsert({ where: { key }, create: { key, ...row }, update: row });
}

function parseValues(values: Record<string, unknown>): Map<SettingKey, Value> {
  const wanted = new Map<SettingKey, Value>();
  const fields = new Map<string, FieldIssue>();
  for (const [key, value] of Object.entries(values)) {
    if (!isSettingKey(key)) {
      fields.set(key, { reason: "setting_unknown", setting: key });
      continue;
    }
    const parsed =
      value === null ? { success: true as const, data: defaultSettings[key] } : parseValue(key, value);
    if (parsed.success) wanted.set(key, parsed.data);
    else fields.set(key, issueIn(parsed.error, value));
  }
  refuse(fields);
  return wanted;
}

/** Parses a value. Also accepts a number or boolean written as text, as clients of the older API send it. */
export function parseValue(key: SettingKey, value: unknown): z.ZodSafeParseResult<Value> {
  const schema = Settings.shape[key];
  const parsed = schema.safeParse(value);
  if (parsed.success || typeof value !== "string" || !/^(true|false|-?\d+(\.\d+)?)$/.test(value))
    return parsed;
  return schema.safeParse(JSON.parse(value));
}

/** A setting that enables a feature, the settings it requires, and the issue if they are missing. */
interface Switch {
  enabledBy: SettingKey;
  needs: readonly SettingKey[];
  isReady(next: Settings): boolean;
  issue: FieldIssue;
}

const switches: readonly Switch[] = [
  {
    enabledBy: "EmailVerificationEnabled",
    needs: ["SMTPServer", "SMTPAccount", "SMTPFrom"],
    isReady: canMail,
    issue: { reason: "smtp_missing" },
  },
  {
    enabledBy: "EmailDomainRestrictionEnabled",
    needs: ["EmailDomainWhitelist"],
    isReady: (next) => domainsOf(next.EmailDomainWhitelist).length > 0,
    issue: { reason: "domain_missing" },
  },
  {
    enabledBy: "TurnstileCheckEnabled",
    needs: ["TurnstileSiteKey", "TurnstileSecretKey"],
    isReady: (next) => next.TurnstileSiteKey !== "" && next.TurnstileSecretKey !== "",
    issue: { reason: "switch_unfinished" },
  },
  ...Object.values(identityProviders).map((provider) => ({
    ...provider,
    isReady: (next: Settings) => isAvailable(provider, next),
    issue: { reason: "sign_in_unfinished" } as const,
  })),
  ...Object.values(noticeChannels).map((channel) => ({
    ...channel,
    isReady: (next: Settings) => isFilledIn(channel, next) && (channel.id !== "email" || canMail(next)),
    issue: { reason: "switch_unfinished" } as const,
  })),
];

/** Throws for features that lack a required setting: they would lock users out or fail silently. */
function mayApply(wanted: Map<SettingKey, Value>, next: Settings): void {
  const fields = new Map<string, FieldIssue>();
  for (const { enabledBy, needs, isReady, issue } of switches) {
    const concerned = [enabledBy, ...needs].some((key) => wanted.has(key));
    if (concerned && next[enabledBy] === true && !isReady(next)) fields.set(enabledBy, issue);
  }
  refuse(fields);
}

/** Takes a Map, because a client may send a key named `__proto__`. */
function refuse(fields: ReadonlyMap<string, FieldIssue>): void {
  const error = invalidFields(Object.fromEntries(fields));
  if (error !== undefined) throw error;
}

function issueIn(error: z.ZodError, value: unknown): FieldIssue {
  const [issue] = error.issues;
  return issue === undefined ? { reason: "value_unusable" } : issueOf(issue, value);
}

function sealValue(secrets: Secrets, key: SettingKey, value: unknown): Prisma.InputJsonValue {
  return { sealed: Buffer.from(secrets.encrypt(String(value), contextOf(key))).toString("base64") };
}

/** Returns undefined if the row contains something else, or was encrypted with another secret key. */
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

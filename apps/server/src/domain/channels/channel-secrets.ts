import { type ChannelInput, hiddenValue } from "@gateway/shared/channels/channel";
import type { FieldIssue } from "@gateway/shared/errors";
import { parseRecord } from "#dialects/wire.ts";
import { conflict, invalidFields } from "#errors.ts";
import type { Prisma } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";

/**
 * Secrets of a channel besides its keys: the proxy's password, header values and parameters. The readable
 * columns contain a mask instead; the full values are encrypted in a separate column. This module does not
 * check who reads them.
 */
export type PrivateFields = Pick<ChannelInput, "proxy" | "model_headers" | "custom_parameter" | "plugin">;

/** The same values of an active channel, read-only. */
type Readonlies = { [Field in keyof PrivateFields]: Readonly<PrivateFields[Field]> };

/** Headers whose values reveal nothing about an account. Every other header value is hidden. */
const publicHeader =
  /^(?:accept|accept-language|content-type|user-agent|referer|http-referer|x-title|anthropic-(?:version|beta)|openai-beta)$/i;
const secretName = /password|passwd|secret|credential|authorization|cookie|bearer|signature|token|key|auth/i;
const secretNumber = /password|passwd|secret|pin$/i;
const secretShape = /^(?:sk-|pk-|Bearer |Basic |AIza|AKIA|gh[a-z]_|xox[a-z]-|eyJ)|:\/\/[^/\s]*@/i;
/** Matches a long run of mixed letters and digits: a token, not a word. */
const longRun = /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z\d]{20,}/;

/** Returns the values as readers see them, with masks for secrets. */
export function maskPrivate(full: Readonlies): PrivateFields {
  return {
    proxy: maskProxy(full.proxy),
    model_headers: Object.fromEntries(
      Object.entries(full.model_headers).map(([name, value]) => [
        name,
        value !== "" && (!publicHeader.test(name) || secretShape.test(value)) ? hiddenValue : value,
      ]),
    ),
    custom_parameter: maskRecord(full.custom_parameter),
    plugin: maskRecord(full.plugin),
  };
}

/** Returns the values that `maskPrivate` hides, so that they can be redacted from provider responses. */
export function listHiddenValues(full: Readonlies): string[] {
  const { model_headers, custom_parameter, plugin } = maskPrivate(full);
  const found: string[] = [];
  const collect = (value: unknown, shown: unknown): void => {
    if (typeof value === "string" && shown === hiddenValue) found.push(value);
    else if (typeof value === "object" && value !== null && typeof shown === "object" && shown !== null)
      for (const [name, part] of Object.entries(value)) collect(part, shown[name as keyof typeof shown]);
  };
  collect(full.model_headers, model_headers);
  collect(full.custom_parameter, custom_parameter);
  collect(full.plugin, plugin);
  return found;
}

/** Returns `scheme://user:********@host`. A user name without a password is a token and is hidden too. */
function maskProxy(proxy: string): string {
  return proxy.replace(/^([a-z][\w+.-]*:\/\/)([^/?#]*)@/i, (_all, scheme: string, login: string) => {
    const colon = login.indexOf(":");
    return colon === -1 ? `${scheme}${hiddenValue}@` : `${scheme}${login.slice(0, colon)}:${hiddenValue}@`;
  });
}

function maskRecord<T extends Record<string, unknown>>(record: T): T {
  // The shape stays the same; only leaves are replaced.
  return mask(record, "", false) as T;
}

/** @param hidden whether a parent name marks everything below it as secret */
function mask(value: unknown, name: string, hidden: boolean): unknown {
  if (typeof value === "string") {
    const isSecret = hidden || secretName.test(name) || secretShape.test(value) || longRun.test(value);
    return isSecret && value !== "" ? hiddenValue : value;
  }
  if (typeof value === "number") return secretNumber.test(name) ? hiddenValue : value;
  if (Array.isArray(value))
    return name === "remove" ? value : value.map((part: unknown) => mask(part, name, hidden));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      mask(part, key, hidden || /secret|credential/i.test(key)),
    ]),
  );
}

/** Returns the columns for these values. `private_encrypted` is null if there is nothing to hide. */
export function sealPrivate(secrets: Secrets, channelId: number, full: PrivateFields) {
  const { proxy, model_headers, custom_parameter, plugin } = full;
  const whole = { proxy, model_headers, custom_parameter, plugin };
  const shown = maskPrivate(whole);
  const text = JSON.stringify(whole);
  return {
    ...shown,
    custom_parameter: asJson(shown.custom_parameter),
    plugin: asJson(shown.plugin),
    private_encrypted:
      JSON.stringify(shown) === text ? null : secrets.encrypt(text, privateContext(channelId)),
  };
}

/**
 * Returns the full values of a stored channel.
 * @param shown the values in its columns, which are complete if nothing is encrypted
 */
export function openPrivate(
  secrets: Secrets,
  row: { id: number; private_encrypted: Uint8Array | null },
  shown: PrivateFields,
): PrivateFields {
  if (row.private_encrypted === null) return shown;
  try {
    const whole = parseRecord(secrets.decrypt(row.private_encrypted, privateContext(row.id)));
    // `sealPrivate` wrote this from a validated input.
    return { ...shown, ...(whole as Partial<PrivateFields>) };
  } catch (cause) {
    throw conflict({ reason: "channel_secrets_unreadable" }, { cause });
  }
}

/**
 * An input with stored secrets filled in, and the names of the fields that kept a secret by sending its mask.
 */
export interface InputWithSecrets<T> {
  input: T;
  kept: string[];
}

/**
 * Replaces masks with the stored secrets. Throws `invalid_request` with the field for a mask without a stored
 * value.
 */
export function fillMasks<T extends PrivateFields>(
  input: T,
  stored: PrivateFields | undefined,
): InputWithSecrets<T> {
  const kept: string[] = [];
  const fields: Record<string, FieldIssue> = {};
  const fill = (value: unknown, was: unknown, path: string): unknown => {
    if (value === hiddenValue) {
      if (was === undefined || was === hiddenValue) {
        fields[path] = { reason: "no_stored_value" };
        return value;
      }
      kept.push(path);
      return was;
    }
    if (Array.isArray(value))
      return value.map((part: unknown, place) =>
        fill(part, Array.isArray(was) ? was[place] : undefined, path),
      );
    if (typeof value !== "object" || value === null) return value;
    const before = typeof was === "object" && was !== null && !Array.isArray(was) ? was : {};
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => [
        key,
        fill(
          part,
          Object.hasOwn(before, key) ? before[key as keyof typeof before] : undefined,
          `${path}.${key}`,
        ),
      ]),
    );
  };
  const filled = {
    ...input,
    model_headers: fill(input.model_headers, stored?.model_headers, "model_headers"),
    custom_parameter: fill(input.custom_parameter, stored?.custom_parameter, "custom_parameter"),
    plugin: fill(input.plugin, stored?.plugin, "plugin"),
    proxy: input.proxy,
  };
  if (input.proxy.includes(hiddenValue)) {
    if (stored !== undefined && input.proxy === maskProxy(stored.proxy)) {
      filled.proxy = stored.proxy;
      kept.push("proxy");
    } else fields["proxy"] = { reason: "proxy_password_again" };
  }
  const error = invalidFields(fields);
  if (error !== undefined) throw error;
  return { input: filled, kept };
}

/** Removes masked values from an input, for a file that was exported without secrets. */
export function dropMasks<T extends PrivateFields>(input: T): InputWithSecrets<T> {
  const kept: string[] = [];
  const drop = (value: unknown, path: string): unknown => {
    if (Array.isArray(value))
      return value.filter((part) => part !== hiddenValue).map((part: unknown) => drop(part, path));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => {
        if (part !== hiddenValue) return [[key, drop(part, `${path}.${key}`)]];
        kept.push(`${path}.${key}`);
        return [];
      }),
    );
  };
  const left = {
    ...input,
    model_headers: drop(input.model_headers, "model_headers"),
    custom_parameter: drop(input.custom_parameter, "custom_parameter"),
    plugin: drop(input.plugin, "plugin"),
  } as T;
  if (input.proxy.includes(hiddenValue)) {
    kept.push("proxy");
    left.proxy = "";
  }
  return { input: left, kept };
}

function privateContext(channelId: number): string {
  return `channel:${channelId}:private`;
}

/** The value came from JSON.parse, so it is valid JSON. */
function asJson(value: object): Prisma.InputJsonObject {
  return value;
}

import type { Extra, UpstreamError } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { listHiddenValues } from "#domain/channels/channel-secrets.ts";
import type { ActiveChannel, ActiveKey } from "#domain/channels/selection/active-channel.ts";

/**
 * Cleans texts of providers, which quote what they received. Removes the channel's credentials; for clients
 * also the addresses behind the gateway and the names of accounts. Every provider text that is not a response
 * passes through here: errors, failed tasks, refusals in a stream or session, test results. Pure.
 */
export interface Origin {
  channel: Pick<
    ActiveChannel,
    "keys" | "headers" | "parameters" | "plugin" | "proxy" | "baseUrl" | "provider"
  >;
  key: ActiveKey | undefined;
}

/** Longer messages add no information and cost time. */
const MAX_TEXT = 4_000;
/** A body that contains an error is not longer. */
const MAX_FAILED = 256 * 1024;
/** Minimum length of a credential part. Shorter parts may be ordinary words. */
const LEAST_PART = 8;
const SHOWN_OF_KEY = 6;
const REMOVED = "[removed]";

/** Cleans a text for administrators: removes credentials. */
export function withoutCredentials(text: string, origin: Origin): string {
  let clean = text.slice(0, MAX_TEXT);
  for (const secret of secretsOf(origin)) {
    const spellings = new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]);
    for (const spelling of spellings)
      clean = clean.replaceAll(new RegExp(escapePattern(spelling), "gi"), REMOVED);
    // Providers shorten what they quote: sk-abc***xyz.
    if (secret.length >= 12)
      clean = clean.replace(
        new RegExp(
          `${escapePattern(secret.slice(0, SHOWN_OF_KEY))}[\\w-]*(?:\\*{2,}|…|\\.{3})[\\w*.…-]*`,
          "gi",
        ),
        REMOVED,
      );
  }
  return clean.replace(credentials, REMOVED);
}

/** Cleans a text for clients: also removes the addresses behind the gateway and the names of accounts. */
export function forClients(text: string, origin: Origin): string {
  let clean = withoutCredentials(text, origin);
  for (const host of hostsOf(origin))
    clean = clean.replaceAll(new RegExp(`(?:https?://)?${escapePattern(host)}(?::\\d+)?`, "gi"), REMOVED);
  return clean
    .replace(urls, (url) => (isPublicPage(url) ? url : REMOVED))
    .replace(addresses, REMOVED)
    .replace(accounts, (_all, before: string) => `${before}${REMOVED}`)
    .replace(accountIds, REMOVED);
}

/** Returns the error with its message cleaned for clients. */
export function errorForClients(error: UpstreamError, origin: Origin): UpstreamError {
  const { original } = error;
  const message = forClients(error.message, origin);
  if (original === undefined) return { ...error, message };
  const fields = withCleanTexts(original.fields, origin) as Extra["fields"];
  return { ...error, message, original: { ...original, fields } };
}

function withCleanTexts(value: unknown, origin: Origin): unknown {
  if (typeof value === "string") return forClients(value, origin);
  if (Array.isArray(value)) return value.map((part: unknown) => withCleanTexts(part, origin));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [name, withCleanTexts(part, origin)]),
  );
}

/** Returns the error with its message cleaned for administrators. */
export function errorForOperators(error: UpstreamError, origin: Origin): UpstreamError {
  return { ...error, message: withoutCredentials(error.message, origin) };
}

/** Cleans server-sent events of which one is an error. Lines that are not about an error stay unchanged. */
export function eventsForClients(events: string, origin: Origin): string {
  return events
    .split("\n")
    .map((line) => (line.length <= MAX_TEXT && line.includes("error") ? forClients(line, origin) : line))
    .join("\n");
}

/** Cleans a response as the provider sent it. Only responses with an error quote the request. */
export function scrubErrorBody(body: string, origin: Origin): string {
  if (body.length > MAX_FAILED || !/"error"\s*:\s*["{]/.test(body)) return body;
  const answer = parseRecord(body);
  if (answer === undefined) return body;
  const clean = (value: unknown, inError: boolean): unknown => {
    if (typeof value === "string") return inError ? forClients(value, origin) : value;
    if (Array.isArray(value)) return value.map((part: unknown) => clean(part, inError));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [name, clean(part, inError || name === "error")]),
    );
  };
  return JSON.stringify(clean(answer, false));
}

const credentials =
  /\b(?:sk|pk|rk|gsk|xai|nvapi|pplx|hf|ghp|gho|glpat|xox[a-z])[-_][\w*.…-]{6,}|\bAIza[\w-]{10,}|\bya29\.[\w.-]+|\b(?:AKIA|ASIA)[A-Z\d]{8,}|\b(?:Bearer|Basic)\s+[\w+/=.~*-]{8,}|\beyJ[\w-]{8,}\.[\w.-]+/g;
const urls = /\b(?:https?|wss?|socks5h?|grpc|redis|postgres(?:ql)?|mongodb):\/\/[^\s"'<>)\]]+/gi;
/** IPv4, IPv6, internal host names, and host names with a port. Labels are bounded, so that the time is linear. */
const addresses =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[[\da-f:]{2,39}\](?::\d{1,5})?|(?<![\w:])(?:[\da-f]{1,4}:){3,7}[\da-f]{1,4}\b|(?<![\w:])[\da-f]{0,4}::(?:[\da-f]{1,4}:){0,6}[\da-f]{1,4}\b|\b(?:[\w-]{1,63}\.){0,9}(?:localhost|[\w-]{1,63}\.(?:internal|local|localdomain|lan|svc|corp|intra|intranet|home|private|consul|docker))(?:\.[\w-]+)*(?::\d{1,5})?\b|\b[a-z][\w-]{0,62}(?:\.[\w-]{1,63}){1,9}:\d{2,5}\b|\b[a-z]\w{0,62}-[\w-]{1,63}:\d{4,5}\b/gi;
/** A word for an account, followed by its identifier. */
const accounts =
  /\b((?:organi[sz]ation|project|account|tenant|subscription|workspace|customer|team|user)s?(?:[ _-]?id)?["']?\s{0,4}(?:[:=/#]\s{0,4})?["'`]?)((?=[\w.-]*\d)[\w.-]{6,}|[\da-f]{8}-[\da-f-]{27})/gi;
const accountIds =
  /\b(?:org|proj|acct|user|team|tenant|ws|wrkspc)[-_](?=[\w]*\d)[\w]{8,}|\barn:aws[\w-]*:[^\s"',]+|\bprojects\/[\w.-]+/g;

/** Whether a URL is a public page of a provider, such as its documentation. */
function isPublicPage(text: string): boolean {
  const url = URL.parse(text);
  if (
    url === null ||
    url.protocol !== "https:" ||
    url.port !== "" ||
    url.search !== "" ||
    url.username !== ""
  )
    return false;
  return /^(?:[a-z\d-]+\.)+[a-z]{2,}$/.test(url.hostname) && !addressOf(url.hostname);
}

function addressOf(host: string): boolean {
  addresses.lastIndex = 0;
  return addresses.test(host);
}

/** Returns the hosts of the channel. A provider's default address is public. */
function hostsOf({ channel }: Origin): string[] {
  const own = URL.parse(channel.provider.baseUrl)?.hostname;
  return [channel.baseUrl, channel.proxy]
    .map((address) => URL.parse(address)?.hostname ?? "")
    .filter((host) => host !== "" && host !== own);
}

function secretsOf({ channel, key }: Origin): string[] {
  const keys = [...channel.keys, ...(key === undefined ? [] : [key])].flatMap(
    (each) => each.referenced?.knownTexts() ?? each.key,
  );
  const { proxy, headers, parameters, plugin } = channel;
  const hidden = listHiddenValues({
    proxy,
    model_headers: headers,
    custom_parameter: parameters ?? {},
    plugin,
  });
  const parts = [...keys.flatMap(partsOf), ...hidden, decodePath(URL.parse(proxy)?.password ?? "")];
  // Longest first, so that no part of a longer secret remains.
  return [...new Set(parts)]
    .filter((part) => part.length >= LEAST_PART)
    .toSorted((one, other) => other.length - one.length);
}

/** Splits a credential that has several parts: `id|secret`, or a JSON document. */
function partsOf(key: string): string[] {
  const document = key.startsWith("{") ? parseRecord(key) : undefined;
  if (document !== undefined)
    return [key, ...Object.values(document).filter((part): part is string => typeof part === "string")];
  return [key, ...key.split(/[|,;:\s]+/)];
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

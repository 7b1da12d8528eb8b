/**
 * All errors of the product: code, HTTP status and English message as a template with params. The server
 * throws a code with params, the console translates them, and each dialect encodes them in its own shape.
 */
import { accountMessages, accountReasons } from "./errors/accounts.ts";
import { backupReasons } from "./errors/backups.ts";
import { billingMessages, billingReasons } from "./errors/billing.ts";
import { bodyMessages, bodyReasons } from "./errors/bodies.ts";
import { channelReasons } from "./errors/channels.ts";
import { fieldReasons } from "./errors/fields.ts";
import { keyMessages, keyReasons } from "./errors/keys.ts";
import { mcpReasons } from "./errors/mcp.ts";
import { migrationReasons } from "./errors/migration.ts";
import { fillTemplate, type Values, type WireParams } from "./errors/phrase.ts";
import { relayMessages, relayReasons } from "./errors/relay.ts";
import { siteReasons } from "./errors/site.ts";
import { storageReasons } from "./errors/storage.ts";

/** The HTTP status of every code. */
export const errorStatus = {
  // the caller
  invalid_request: 400,
  invalid_api_key: 401,
  unauthenticated: 401,
  wrong_credentials: 401,
  totp_required: 401,
  totp_wrong: 403,
  /** The check that the client is a person (Turnstile) failed. */
  person_unproven: 403,
  insufficient_quota: 402,
  token_quota_exhausted: 402,
  spend_limit_reached: 402,
  /** The budget that an administrator set for the account. */
  budget_exceeded: 402,
  /** The budget of the agent's session. */
  session_budget_exhausted: 402,
  /** The call can cost more than its client allows (`x-max-price`). */
  max_price_exceeded: 402,
  /** The call does not fit its quote (`x-quote-id`), or the quote is expired or used. */
  quote_not_valid: 402,
  forbidden: 403,
  origin_refused: 403,
  /** The password of the account must be confirmed first. */
  proof_required: 403,
  /** An account without a password must have signed in a moment ago. */
  sign_in_again: 403,
  /** Like a wrong key: clients stop, and other gateways disable a channel that uses the key. */
  token_disabled: 401,
  token_expired: 401,
  /** At sign-in. A call with a key of the account gets 401. */
  user_disabled: 403,
  model_not_allowed: 403,
  address_not_allowed: 403,
  group_not_allowed: 403,
  model_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  /** The client sent its request too slowly. */
  request_timeout: 408,
  conflict: 409,
  /** A link that has expired or was revoked. */
  gone: 410,
  /** The request needs links to this site, but its public address is not configured. */
  server_address_missing: 409,
  setup_done: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  upgrade_required: 426,
  rate_limit_exceeded: 429,
  headers_too_large: 431,
  /** The client disconnected before the response. */
  client_disconnected: 499,
  // the upstream
  upstream_refused: 400,
  upstream_rate_limited: 429,
  upstream_failed: 502,
  /** The gateway ended the response at a limit: its length in text or bytes, or its duration. */
  answer_too_long: 502,
  no_channel: 503,
  upstream_overloaded: 503,
  upstream_timeout: 504,
  // the gateway
  price_missing: 400,
  content_policy_violation: 400,
  shutting_down: 503,
  /** The database does not respond. */
  unavailable: 503,
  /** The memory or time for requests is exhausted. */
  overloaded: 503,
  /** The disk has no space for an upload. */
  storage_full: 507,
  /** Another transaction holds locks on this account's rows. */
  account_busy: 503,
  /**
   * The node sent no sign of life for so long that its reservation was released. At most the delivered part
   * is charged.
   */
  reservation_lost: 503,
  internal: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

const messages = {
  ...accountMessages,
  ...billingMessages,
  ...keyMessages,
  ...relayMessages,
  ...bodyMessages,
};

const areas = [
  accountReasons,
  billingReasons,
  channelReasons,
  mcpReasons,
  siteReasons,
  migrationReasons,
  backupReasons,
  storageReasons,
  keyReasons,
  relayReasons,
  bodyReasons,
] as const;

type Messages = typeof messages;
type Area = (typeof areas)[number];
type InArea<Area, Code extends ErrorCode> = Area extends { readonly [C in Code]: infer Reasons }
  ? Reasons
  : never;
type WithReason<Reasons> = Reasons extends unknown
  ? {
      [Reason in keyof Reasons & string]: { readonly reason: Reason } & Values<Reasons[Reason] & string>;
    }[keyof Reasons & string]
  : never;

/** Limits of a field's schema. */
interface Limits {
  readonly minimum?: number;
  readonly maximum?: number;
}

type Misfit = WithReason<typeof fieldReasons> & Limits;

export type FieldIssue = Misfit | WithReason<InArea<Area, "invalid_request">>;

/** Params of a code: the values of its template, with a `reason` where the code has several templates. */
export type ErrorParams<Code extends ErrorCode> = Code extends keyof Messages
  ? Values<Messages[Code]>
  : Code extends "invalid_request"
    ? (Misfit & { readonly field: string }) | (WithReason<InArea<Area, Code>> & { readonly field?: string })
    : WithReason<InArea<Area, Code>>;

/**
 * Templates by reason, or by code where the code has one message. A reason that several codes use has one
 * template.
 */
const templates: Readonly<Record<string, string>> = Object.assign(
  {},
  messages,
  fieldReasons,
  ...areas.flatMap((area) => Object.values(area)),
);

/** Returns the name of an error's template: its reason, or its code where the code has one message. */
export function nameOf(code: string, params: WireParams): string {
  return typeof params["reason"] === "string" ? params["reason"] : code;
}

/** Returns the template of a reason or a code with one message. Undefined for a name from another version. */
export function templateOf(name: string): string | undefined {
  return Object.hasOwn(templates, name) ? templates[name] : undefined;
}

/** Fixed text that a template needs, so that the text of another error does not match it. */
const SHORTEST_MATCH = 12;

/** Returns the codes that the text names, or whose English message it contains. For texts of up to 1,000 characters. */
export function findCodes(text: string): ErrorCode[] {
  const searched = text.slice(0, 1_000);
  const lower = searched.toLowerCase();
  const named = [...new Set(lower.match(/[a-z_]+/g))].filter((word) => Object.hasOwn(errorStatus, word));
  const templatesByCode: [string, string][] = [
    ...Object.entries<string>(messages),
    ...areas.flatMap((area) =>
      Object.entries<Readonly<Record<string, string>>>(area).flatMap(([code, reasons]) =>
        Object.values(reasons).map((template): [string, string] => [code, template]),
      ),
    ),
  ];
  const quoted = templatesByCode
    .filter(([, template]) => isMessageIn(searched, template))
    .map(([code]) => code);
  return [...new Set([...named, ...quoted])] as ErrorCode[];
}

function isMessageIn(text: string, template: string): boolean {
  const parts = template.replace(/\.$/, "").split(/\{\{\w+\}\}/);
  if (parts.join("").trim().length < SHORTEST_MATCH) return false;
  let place = 0;
  return parts.every((part) => {
    const found = text.indexOf(part, place);
    place = found + part.length;
    return found >= 0;
  });
}

/** Returns the English message of an error. A field that the template does not contain is prepended. */
export function messageOf(code: ErrorCode, params: WireParams): string {
  const template = templateOf(nameOf(code, params)) ?? code;
  const text = fillTemplate(template, params);
  const { field } = params;
  if (field === undefined || template.includes("{{field}}")) return text;
  const place = field === "" ? "The request is not valid" : String(field);
  return `${place}: ${text.replace(/\.$/, "")}.`;
}

/** Returns all errors: each code with its reason and template. */
export function allErrors(): { code: ErrorCode; reason?: string; template: string }[] {
  return [
    ...Object.entries(messages).map(([code, template]) => ({ code: code as ErrorCode, template })),
    ...[...areas, { invalid_request: fieldReasons }].flatMap((area) =>
      Object.entries(area).flatMap(([code, reasons]) =>
        Object.entries<string>(reasons).map(([reason, template]) => ({
          code: code as ErrorCode,
          reason,
          template,
        })),
      ),
    ),
  ];
}

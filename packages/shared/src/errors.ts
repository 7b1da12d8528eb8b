/**
 * Every error the product can name, with the HTTP status it travels with. The server throws them by code,
 * the console translates them by code, and each dialect spells them in its own words.
 */
export const errorStatus = {
  // the caller
  invalid_request: 400,
  invalid_key: 401,
  unauthenticated: 401,
  wrong_credentials: 401,
  totp_required: 401,
  totp_wrong: 403,
  /** The check that a person sits here was not passed. */
  person_unproven: 403,
  insufficient_quota: 402,
  token_quota_exhausted: 402,
  spend_limit_reached: 402,
  forbidden: 403,
  origin_refused: 403,
  /** The password of the account must be confirmed first. */
  proof_required: 403,
  /** An account without a password must have signed in a moment ago. */
  sign_in_again: 403,
  token_disabled: 403,
  token_expired: 403,
  user_disabled: 403,
  model_not_allowed: 403,
  address_not_allowed: 403,
  group_not_allowed: 403,
  model_not_found: 404,
  not_found: 404,
  conflict: 409,
  /** Links to this site are needed, and no administrator has configured its public address. */
  server_address_missing: 409,
  body_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  // the upstream
  upstream_refused: 400,
  upstream_rate_limited: 429,
  upstream_failed: 502,
  upstream_empty: 502,
  /** The answer was ended at a limit of ours: longer than its request allows, in text, bytes or seconds. */
  answer_too_long: 502,
  no_channel: 503,
  upstream_overloaded: 503,
  upstream_timeout: 504,
  // ourselves
  price_missing: 400,
  content_policy_violation: 400,
  unsupported_endpoint: 501,
  shutting_down: 503,
  /** The database does not answer. */
  unavailable: 503,
  /** The memory or time that requests may use is used up. */
  overloaded: 503,
  /** The disk has no space for an upload. */
  storage_full: 507,
  /** Another transaction keeps this account's rows locked. */
  account_busy: 503,
  /** The node was silent for so long that its reservation was released; at most what had been delivered is charged. */
  reservation_lost: 503,
  setup_done: 409,
  internal: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorStatus;

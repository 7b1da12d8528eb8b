/** Errors of providers, and limits of this gateway. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with one message. */
export const relayMessages = {
  upstream_overloaded: phrase("The provider is overloaded. Try again later."),
  upstream_timeout: phrase("The provider took too long to respond."),
  no_channel: phrase('No channel can serve the model "{{model}}" right now. Try again shortly.'),
  content_policy_violation: phrase("This request contains words that are not allowed on this gateway."),
  shutting_down: phrase("The gateway is shutting down. Try again in a moment."),
  overloaded: phrase(
    "The requests in progress use all the memory that this server reserves for them. Try again in a moment.",
  ),
  storage_full: phrase(
    "The server cannot store this upload: its disk is full or cannot be written. Try again later, or ask the operator to check DATA_DIR.",
  ),
  account_busy: phrase(
    "This account is locked by another operation. Nothing was charged. Try again in a moment.",
  ),
  reservation_lost: phrase(
    "The gateway was interrupted during this request. Only what was delivered is charged. Send the request again.",
  ),
  internal: phrase("Something went wrong on our side. Include the request ID when you report it."),
};

/** Codes with a message per reason. */
export const relayReasons = {
  upstream_refused: {
    provider_message: phrase("{{message}}"),
  },
  upstream_rate_limited: {
    provider_busy: phrase("The provider is receiving too many requests. Try again later."),
    channels_full: phrase(
      'Every channel for the model "{{model}}" has reached its limit of concurrent calls. Try again shortly.',
    ),
    channels_paused: phrase(
      'Every channel for the model "{{model}}" is paused because its provider requested a pause. Try again in {{seconds}} s.',
    ),
  },
  upstream_failed: {
    provider_key_unavailable: phrase(
      "The gateway cannot read its key for this provider at the moment. Try again later.",
    ),
    upstream_no_answer: phrase("The provider could not process this request."),
    upstream_incomplete: phrase("The provider could not complete its response."),
    upstream_unreadable: phrase("The provider's response cannot be read."),
    upstream_empty: phrase("The provider returned an empty response."),
    upstream_broke_off: phrase("The provider closed the connection before its response was complete."),
    upstream_broke_off_session: phrase("The provider closed the session."),
    response_unreachable: phrase("The provider could not be reached for this response."),
    response_state_unknown: phrase("The provider did not report the state of this response. Try again."),
    response_not_cancelled: phrase(
      "This response is still in progress, and its provider could not cancel it. Try again in a moment.",
    ),
    response_channel_deleted: phrase("The channel of this response was deleted."),
    provider_failed_with: phrase("{{message}}"),
  },
  answer_too_long: {
    answer_too_long_charged: phrase(
      "The response was ended because it is longer than its request allows, in text, bytes or seconds. What was delivered is charged. Request a higher output limit, or ask the operator to check the provider.",
    ),
    answer_too_long_free: phrase(
      "The response was ended because it is longer than its request allows, in text, bytes or seconds. Nothing is charged. Request a higher output limit, or ask the operator to check the provider.",
    ),
  },
  unavailable: {
    database_away: phrase("The database does not respond. Try again in a moment."),
    database_full: phrase(
      "The gateway cannot store anything: the disk of its database is full. The operator must free space. Try again later.",
    ),
    database_read_only: phrase(
      "The gateway cannot store anything: its database is read-only right now. Try again in a moment.",
    ),
    ledger_late: phrase("The oldest batch of the ledger has waited {{seconds}} s for the database."),
  },
};

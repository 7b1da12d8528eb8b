/** Turns any failure into one sentence in the reader's language. */
import type { ErrorCode } from "@gateway/shared/errors";
import type { TFunction } from "i18next";
import { ApiError } from "./http.ts";
import { phrase } from "./i18n.ts";

/** Codes whose sentence is always the same. The others speak through the server's message. */
const codePhrases: Partial<Record<ErrorCode, string>> = {
  unauthenticated: phrase("Please sign in again"),
  wrong_credentials: phrase("Wrong username or password"),
  totp_required: phrase("Enter the code of your authenticator app"),
  totp_wrong: phrase("The code is wrong or was used before"),
  person_unproven: phrase("The check of your browser was not passed. Try again."),
  insufficient_quota: phrase("The balance is not enough"),
  token_quota_exhausted: phrase("The quota of this token is used up"),
  spend_limit_reached: phrase("The spending limit of this token is reached"),
  forbidden: phrase("You may not do this"),
  origin_refused: phrase("The request came from another address than this site"),
  proof_required: phrase("Confirm with your password first"),
  sign_in_again: phrase("Sign out, sign in again, and repeat this within 10 minutes"),
  token_disabled: phrase("This token is disabled"),
  token_expired: phrase("This token has expired"),
  user_disabled: phrase("This account is disabled"),
  model_not_allowed: phrase("This token may not use this model"),
  address_not_allowed: phrase("This token may not be used from this address"),
  group_not_allowed: phrase("This group is not open to you"),
  model_not_found: phrase("No channel offers this model"),
  body_too_large: phrase("The request is too large"),
  content_policy_violation: phrase("The request has words that are not allowed here"),
  answer_too_long: phrase("The answer is longer than its request allows"),
  upstream_timeout: phrase("The provider did not respond in time"),
  no_channel: phrase("No channel is available right now"),
  shutting_down: phrase("The server is restarting, try again in a moment"),
  unavailable: phrase("The database does not answer right now, try again in a moment"),
  setup_done: phrase("This installation is already set up"),
};

/** A sentence of the schemas or the server in the reader's language; unknown ones stay English. */
export function translateSentence(t: TFunction, message: string): string {
  return t(message, { defaultValue: message });
}

/** The core of an error without the word "Error" in front, for places that already look like errors. */
export function errorReason(error: unknown, t: TFunction): string {
  if (error instanceof ApiError) {
    const known = codePhrases[error.code as ErrorCode];
    if (known) return t(known);
    // The message is one of these with the name of its field in front, which only scripts know.
    const sentences = [...new Set(Object.values(error.fields))];
    if (sentences.length > 0) return sentences.map((sentence) => translateSentence(t, sentence)).join(" · ");
    if (error.message) return translateSentence(t, error.message);
    return error.status >= 500 ? t("Server error") : t("Unknown error");
  }
  // fetch rejects with a TypeError when there is no connection.
  if (error instanceof TypeError) return t("Unable to connect to the server properly!");
  return error instanceof Error && error.name !== "ZodError" ? error.message : t("Data format incorrect");
}

export type ErrorNote = { level: "error" | "info"; text: string };

/** @param failed what was attempted, an English phrase */
export function errorNote(error: unknown, t: TFunction, failed?: string): ErrorNote {
  if (error instanceof ApiError) {
    if (error.status === 429)
      return { level: "error", text: t("Error: too many requests, please try again later!") };
    if (error.status === 405)
      return { level: "info", text: t("This site is for demonstration only, there is no server!") };
    if (error.status === 500)
      return { level: "error", text: t("Error: internal server error, please contact the administrator!") };
  }
  if (error instanceof TypeError)
    return { level: "error", text: t("Unable to connect to the server properly!") };
  const reason = errorReason(error, t);
  const message = failed ? t("{{what}}: {{reason}}", { what: t(failed), reason }) : reason;
  return { level: "error", text: t("Error: {{message}}", { message }) };
}

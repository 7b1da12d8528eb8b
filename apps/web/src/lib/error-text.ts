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
  token_disabled: phrase("This token is disabled"),
  token_expired: phrase("This token has expired"),
  user_disabled: phrase("This account is disabled"),
  model_not_allowed: phrase("This token may not use this model"),
  address_not_allowed: phrase("This token may not be used from this address"),
  group_not_allowed: phrase("This group is not open to you"),
  model_not_found: phrase("No channel offers this model"),
  body_too_large: phrase("The request is too large"),
  content_policy_violation: phrase("The request has words that are not allowed here"),
  upstream_timeout: phrase("The vendor did not answer in time"),
  no_channel: phrase("No channel is available right now"),
  shutting_down: phrase("The server is restarting, try again in a moment"),
  setup_done: phrase("This installation is already set up"),
};

/** Sentences the schemas and the server use, so that every language has them. @public read by the extractor */
export const knownSentences = [
  phrase("Name is required"),
  phrase("Model name is required"),
  phrase("A wildcard * may only be the last character, after at least one other"),
  phrase("The target of a mapping must be a model name"),
  phrase("The address must be an http or https URL"),
  phrase("The address must not contain a user name or password."),
  phrase("The address must end before any ? or #."),
  phrase("Name a model to test with."),
  phrase("The proxy must be an http, https or socks5 URL"),
  phrase("At least one model is required"),
  phrase("At least one group is required"),
  phrase("This is not the name of an HTTP header"),
  phrase("This value has a character that cannot be sent"),
  phrase("It must be true or false"),
  phrase("It must be a whole number"),
  phrase("It must be a list of field names"),
  phrase("With per_model, every other entry must be an object of fields"),
  phrase("It cannot be less than 0"),
  phrase("It cannot be more than 1000000"),
  phrase("It cannot be more than an hour"),
  phrase("It cannot be longer than 20,000 characters"),
  phrase("This is the last key in use. Switch the channel off instead, or add another key first."),
  phrase("Priority cannot be less than 0"),
  phrase("Weight cannot be less than 1"),
  phrase("Quota cannot be negative"),
  phrase("Cannot deduct an amount exceeding the user's balance"),
  phrase("Channel type error"),
  phrase("Failed to get model list"),
  phrase("Invalid JSON"),
  phrase("Must be a valid JSON string"),
  phrase("Not found"),
  phrase("The user name needs at least 3 characters"),
  phrase("The user name may hold letters, digits, dots, hyphens and underscores"),
  phrase("This user name is taken."),
  phrase("The password needs at least 8 characters"),
  phrase("The password may have at most 200 characters"),
  phrase("The current password is wrong"),
  phrase("Choose a group"),
  phrase("There is no such group."),
  phrase("Enter the code"),
  phrase("Change your own account in your profile."),
  phrase("Too many requests from this address. Try again later."),
  phrase("Too many wrong codes. Wait a quarter of an hour and try again."),
  phrase("The logo must be an http or https URL or a picture"),
  phrase("The address must start with a scheme such as https: and must not run code here"),
  phrase("Fill in what this sign-in needs before switching it on."),
  phrase("E-mail cannot be verified: no mail server (SMTP) is configured."),
  phrase("Name at least one domain before switching this on."),
  phrase("Fill in what this needs before switching it on."),
  phrase("Write domains like example.com, with commas between them"),
  phrase("Write e-mail addresses with commas between them"),
  phrase("Write the name of the server alone, for example smtp.example.com"),
  phrase("A phrase needs at least 2 characters"),
  phrase("This is not an e-mail address"),
  phrase("Enter your e-mail address"),
  phrase("The code has 6 digits"),
  phrase("The code is wrong or has expired"),
  phrase("This e-mail address belongs to another account"),
  phrase("E-mail addresses of this domain are not accepted here"),
  phrase("A mail was just sent there. Wait a minute before asking for another."),
  phrase("Too many mails were sent there. Try again in a few minutes."),
  phrase("The mail could not be sent. Try again later."),
  phrase("Too many wrong passwords for this account. Wait a moment and try again."),
  phrase("The check could not be made. Try again in a moment."),
  phrase("No mail server is set up."),
  phrase("Your account has no e-mail address to send a test to."),
  phrase("Only public addresses can be fetched."),
  phrase("Choose at least one channel"),
  phrase("Too many channels for one request"),
  phrase("It would have no model left."),
  phrase("It would have no group left."),
  phrase("A test is running already."),
  phrase("Balances are being refreshed already."),
  phrase("This vendor does not tell the balance."),
  phrase("The file holds no channels"),
  phrase("There is no cheap question to test this model with."),
  phrase("Transcription needs a recording, so this model is not tested."),
  phrase("Videos and music take minutes, so this model is not tested."),
  phrase("This model speaks over a socket only, so it is not tested."),
  phrase("Something went wrong on our side."),
  phrase("A number above 0 is required"),
  phrase("A discount must be above 0 and at most 1; 0.9 is ten percent off"),
  phrase("Write whole dollars from 1 to 1000000 in front of each discount"),
  phrase("Channel not found."),
  phrase("Tag not found."),
  phrase("Usage in this month not found."),
  phrase("Statements can be made of months that are over."),
  phrase("The statements of this month are made already."),
] as const;

/** A sentence of the schemas or the server in the reader's language; unknown ones stay English. */
export function translateSentence(t: TFunction, message: string): string {
  return t(message, { defaultValue: message });
}

/** The core of an error without the word "Error" in front, for places that already look like errors. */
export function errorReason(error: unknown, t: TFunction): string {
  if (error instanceof ApiError) {
    const known = codePhrases[error.code as ErrorCode];
    if (known) return t(known);
    return error.message ? translateSentence(t, error.message) : t("Unknown error");
  }
  // fetch rejects with a TypeError when there is no connection.
  if (error instanceof TypeError) return t("Unable to connect to the server properly!");
  return error instanceof Error && error.name !== "ZodError" ? error.message : t("Data format incorrect");
}

export type ErrorNote = { level: "error" | "info"; text: string };

export function errorNote(error: unknown, t: TFunction): ErrorNote {
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
  return { level: "error", text: t("Error: {{message}}", { message: errorReason(error, t) }) };
}

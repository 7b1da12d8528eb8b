/** Translates failures into messages by their code and params. Texts are never compared. */
import { MISSING, type WireParams } from "@gateway/shared/errors/phrase";
import type { TFunction } from "i18next";
import { ApiError, DataFormatError, isTimeout } from "#lib/http.ts";
import { currentLocale, phrase } from "#lib/i18n.ts";
import { unreachable } from "#lib/live/connection.ts";
import { findTemplate } from "./late-errors.ts";

/** Numbers that are names have no thousands separators. */
const naming = /^(id|port|status|type|channel)$/;

/** Formats large numbers of params in the user's language: "20,000". */
export function withSeparators(params: WireParams): WireParams {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      typeof value === "string" || value < 1_000 || naming.test(name)
        ? value
        : value.toLocaleString(currentLocale()),
    ]),
  );
}

/** Returns the message of a template; undefined for a template of another server version. */
export function namedText(t: TFunction, name: string, params: WireParams): string | undefined {
  const template = findTemplate(name);
  if (template === undefined) return undefined;
  const shown = withSeparators(params);
  const values = Object.fromEntries(
    [...template.matchAll(/\{\{(\w+)\}\}/g)].map(([, key = ""]) => [key, shown[key] ?? MISSING]),
  );
  return t(template, values);
}

/** Returns the error message of one field. */
export function issueText(t: TFunction, { reason = "", ...values }: WireParams): string {
  return namedText(t, String(reason), values) ?? t("This value is not valid");
}

/** Returns the error messages of all rejected fields, by path. */
export function issueTexts(t: TFunction, error: ApiError): Record<string, string> {
  return Object.fromEntries(
    Object.entries(error.issues).map(([field, issue]) => [field, issueText(t, issue)]),
  );
}

/** Returns the message of an error code; undefined for a code of another server version. */
export function codeText(t: TFunction, code: string, params: WireParams): string | undefined {
  const { reason, field } = params;
  const name = typeof reason === "string" ? reason : code;
  const text = namedText(t, name, params);
  if (text === undefined || field === undefined || field === "") return text;
  if (findTemplate(name)?.includes("{{field}}") === true) return text;
  return t("{{what}}: {{reason}}", { what: field, reason: text });
}

/** Returns the message of an error inside a successful response. */
export function faultText(t: TFunction, { code, params, message }: Fault): string {
  return codeText(t, code, params) ?? message;
}

type Fault = { code: string; params: WireParams; message: string };

/** Returns the message without the leading word "Error", for elements that already look like errors. */
export function errorReason(error: unknown, t: TFunction): string {
  if (error instanceof ApiError) {
    const issues = [...new Set(Object.values(issueTexts(t, error)))];
    if (issues.length > 0) return issues.join(" · ");
    if (error.status === 405) return t("This action is not available on a demo site.");
    const codeMessage = codeText(t, error.code, error.params);
    // A 4xx message is sufficient; a server error shows the id to report it with.
    return codeMessage === undefined
      ? unknownText(error, t)
      : error.status >= 500
        ? withId(codeMessage, error, t)
        : codeMessage;
  }
  if (isTimeout(error)) return t("The server took too long to respond. Try again.");
  // fetch rejects with a TypeError when there is no connection.
  if (error instanceof TypeError) return t(unreachable);
  return error instanceof Error && !(error instanceof DataFormatError) && error.name !== "ZodError"
    ? error.message
    : t(malformed);
}

/** Shown for a response of an unexpected shape. */
export const malformed = phrase("Data format incorrect. Reload the page and try again.");

/** Shown when a response has no message, such as one of a proxy. */
const statusTexts: Readonly<Record<number, string>> = {
  429: phrase("Too many requests. Try again later."),
  500: phrase("An internal error occurred. Try again, or contact the administrator."),
};
const serverError = phrase("Server error");
const unknownError = phrase("Unknown error");

/**
 * Returns the server's English message with the request id,
 * for a code unknown to this version of the console.
 */
function unknownText(error: ApiError, t: TFunction): string {
  if (error.message === "")
    return t(statusTexts[error.status] ?? (error.status > 500 ? serverError : unknownError));
  return withId(error.message, error, t);
}

function withId(message: string, { requestId }: ApiError, t: TFunction): string {
  return requestId === "" ? message : t("{{message}} (request id: {{id}})", { message, id: requestId });
}

export type ErrorNote = { level: "error" | "info"; text: string };

/** @param failed the attempted action, as an English phrase */
export function errorNote(error: unknown, t: TFunction, failed?: string): ErrorNote {
  if (error instanceof ApiError && error.status === 405)
    return { level: "info", text: errorReason(error, t) };
  // Without the site's status the console cannot know what the server offers, whatever the response was.
  if (error instanceof TypeError || failed === unreachable) return { level: "error", text: t(unreachable) };
  const reason = errorReason(error, t);
  const message = failed ? t("{{what}}: {{reason}}", { what: t(failed), reason }) : reason;
  return { level: "error", text: t("Error: {{message}}", { message }) };
}

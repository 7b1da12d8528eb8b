/** Why the gateway gave no answer, in the reader's language. What a provider said of the question stays as it is. */
import type { TFunction } from "i18next";
import { errorReason } from "#lib/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { phrase } from "#lib/i18n.ts";
import type { Answer } from "./chat.ts";

phrase("The upstream is receiving too many requests. Try again later.");
phrase("The upstream is overloaded. Try again later.");
phrase("The upstream took too long to answer.");
phrase("The upstream could not answer this request.");
const limit = phrase("This account may send {{number}} requests per minute.");
const limitPattern = new RegExp(`^${limit.replace("{{number}}", "(\\d+)")}$`);

export function failureText({ error, code }: Pick<Answer, "error" | "code">, t: TFunction): string {
  if (error === "" && code === "") return t("The connection broke before the answer was complete.");
  // The id stands below, where it can be copied.
  const message = error.replace(/ \(request id: [^)]*\)$/, "");
  const number = limitPattern.exec(message)?.[1];
  return number === undefined ? errorReason(new ApiError(0, { code, message }), t) : t(limit, { number });
}

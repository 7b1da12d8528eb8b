/** Translates the gateway's errors. A provider's message stays as it is. */
import type { TFunction } from "i18next";
import { codeText } from "#lib/errors/error-text.ts";
import type { Answer } from "./chat.ts";

export function failureText(
  { error, code, params }: Pick<Answer, "error" | "code" | "params">,
  t: TFunction<"playground">,
) {
  if (error === "" && code === "") return t("The connection was lost before the response was complete.");
  return codeText(t, code, params) ?? (error === "" ? t("Unknown error") : error);
}

/** What the server stored or reports in English besides its errors, in the reader's language. */
import type { TFunction } from "i18next";
import { phrase } from "./i18n.ts";

// Why a model is not tested. All other texts are messages of errors, which have their words with their templates.
phrase("There is no cheap question to test this model with.");
phrase("Transcription needs a recording, so this model is not tested.");
phrase("Videos and music take minutes, so this model is not tested.");
phrase("This model speaks over a socket only, so it is not tested.");
phrase("Something went wrong on our side.");

/** A text of a provider stays as it is. Where errors are stored, `useErrorTexts` loads their words. */
export function storedText(t: TFunction, text: string): string {
  return t(text, { defaultValue: text });
}

import i18next from "i18next";
import { errorNote } from "#lib/errors/error-text.ts";
import { ApiError } from "#lib/http.ts";
import { toast } from "./toast.tsx";

/**
 * Shows a failure in a toast.
 * @param failed what was attempted, as a sentence
 */
export function reportError(error: unknown, failed?: string): void {
  // The end of a session is reported once, however many requests fail with it.
  if (error instanceof ApiError && error.code === "unauthenticated") return;
  const { level, text } = errorNote(error, i18next.t, failed);
  toast[level](text);
}

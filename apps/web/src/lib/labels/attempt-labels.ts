/** Short labels for the result of an attempt at a provider. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrase } from "#lib/i18n.ts";

const attemptResults = lookupTable<string>({
  ok: phrase("Succeeded"),
  "bad-request": phrase("Refused the request"),
  auth: phrase("Refused the key"),
  quota: phrase("Provider account has no balance"),
  "not-found": phrase("Model not found"),
  "rate-limited": phrase("Too many requests"),
  overloaded: phrase("Overloaded"),
  server: phrase("Provider error"),
  network: phrase("Connection failed"),
  timeout: phrase("No response in time"),
  "key-unavailable": phrase("The key cannot be read from where it is stored"),
  circuit: phrase("Circuit breaker open: too many calls failed"),
  probing: phrase("Circuit breaker half open: too many calls failed"),
});

/** Returns the label of an error kind or of a circuit breaker's state. English; translate when displayed. */
export function attemptResultText(result: string): string {
  return attemptResults[result] ?? result;
}

/** Why the gateway did something, as it stored it in English, in the reader's language. */
import { type ReasonName, readReason } from "@gateway/shared/reasons";
import type { TFunction } from "i18next";
import { phrase } from "./i18n.ts";
import { storedText } from "./stored-text.ts";

/** The server's templates, marked so that every language has them. */
export const reasonPhrases = {
  keyRefused: phrase(
    "The provider refuses the key: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  ),
  accountWithoutBalance: phrase(
    "The provider's account has no balance: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  ),
  callsFailed: phrase(
    "None of {{calls}} calls in {{minutes}} minutes succeeded (the last: {{kind}}), and a test failed too ({{message}}).",
  ),
  circuitByTest: phrase("Too many calls failed (the last: {{kind}}), confirmed by a test."),
  circuitByAccounts: phrase(
    "Too many calls failed (the last: {{kind}}), confirmed by calls of {{accounts}} accounts.",
  ),
  callSucceeded: phrase("A call succeeded."),
  testSucceeded: phrase("A test with {{model}} succeeded."),
  testsSlow: phrase("Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms."),
  testsFailed: phrase("Two tests with {{model}} failed. {{message}}"),
  accountEmpty: phrase("The provider's account is empty: {{balance}}."),
  lastKey: phrase("None of its {{keys}} keys is enabled. The last one: {{reason}}"),
  hasKeyAgain: phrase("It has an enabled key again."),
  disabled: phrase("Disabled: {{reason}}"),
  initialRootBalance: phrase("Initial balance of the root account"),
  initialBalance: phrase("Initial balance"),
  newAccountGift: phrase("Gift for a new account"),
  inviteCodeGift: phrase("Gift for using an invite code"),
  invited: phrase("Invited {{name}}"),
  redemptionCode: phrase("Redemption code {{name}}"),
  onlineTopUp: phrase("Online top-up {{order}}, {{paid}} paid"),
  orderRefund: phrase("Refund of the order {{order}}: {{reason}}"),
  taskRefund: phrase("The {{platform}} task {{task}} failed: its charge is refunded."),
} satisfies Record<ReasonName, string>;

const templates: ReadonlySet<string> = new Set(Object.values(reasonPhrases));

/**
 * A stored reason; a text that is none of the server's sentences stays as it is.
 *
 * @param kindText the word for a kind of failure, English
 */
export function storedReason(t: TFunction, text: string, kindText: (kind: string) => string): string {
  const found = readReason(text);
  if (found === undefined || !templates.has(found.template)) return storedText(t, text);
  const values = Object.entries(found.values).map(([name, value]): [string, string] => {
    if (name === "reason") return [name, storedReason(t, value, kindText)];
    return [name, name === "kind" ? t(kindText(value)) : value];
  });
  return t(found.template, Object.fromEntries(values));
}

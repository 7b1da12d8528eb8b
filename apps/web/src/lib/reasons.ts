/** Translates the reason of a gateway action from its facts. */
import type { ReasonFact, ReasonName } from "@gateway/shared/reasons";
import type { TFunction } from "i18next";
import { attemptResultText } from "./attempt-labels.ts";
import { codeText } from "./error-text.ts";
import { phrase } from "./i18n.ts";

/** The server's templates, marked for translation. */
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
  importedDisabled: phrase("It was disabled in the other gateway."),
  importType: phrase(
    "Its type {{type}} has no counterpart. It is an OpenAI-compatible channel now: check it and enable it.",
  ),
  importProvider: phrase(
    "Its provider {{provider}} has no counterpart. Enter an address and enable the channel.",
  ),
  importReseller: phrase("Its provider no longer exists. Check the address and enable the channel."),
  importAddress: phrase("Its address cannot be used."),
  importAddressPattern: phrase("Its address has a placeholder for the model, which does not exist here."),
  importWholeAddress: phrase(
    "The other gateway called exactly this address. Here the path of the API is added: check it and enable the channel.",
  ),
  importNoAddress: phrase("It has no address. Enter it and enable the channel."),
  importCodingPlan: phrase(
    "It had the name of a coding plan instead of an address. Enter the address and enable the channel.",
  ),
  importNoModels: phrase("It has no models."),
  importModelsBlocked: phrase("LiteLLM had blocked its models."),
  importVariable: phrase(
    "The variable {{variable}} was not set during the import. Enter its value and enable the channel.",
  ),
  importBotModels: phrase("Each model is the name of a bot. Check the models and enable the channel."),
  importOwnRoutes: phrase("Its own routes do not exist here. Check it and enable it."),
  importBaiduKey: phrase(
    "Baidu ended the API of keys with an APIKey and a SecretKey. Enter a key that begins with bce-v3.",
  ),
  importTencentKey: phrase(
    "Tencent ended the API of keys with an AppId. Enter an API key of the current Hunyuan API.",
  ),
  importBedrockModels: phrase(
    "Bedrock's own model ids are needed. Enter them in the model mapping and enable the channel.",
  ),
  balanceNotReported: phrase("This provider does not report the balance."),
  noCheapTest: phrase("No inexpensive request can test this model."),
  testNotCheap: phrase("Testing this model costs more than a short chat."),
  testNeedsRecording: phrase("Transcription needs a recording, so this model is not tested."),
  testTakesMinutes: phrase("Videos and music take minutes, so this model is not tested."),
  testNeedsSocket: phrase("This model works over WebSocket only, so it is not tested."),
  modelsNotListed: phrase("This provider has no list of models."),
  modelListEmpty: phrase("The provider returned an empty list of models."),
  modelListCompared: phrase("New: {{added}}, removed: {{removed}}."),
  // The API keeps the text of One Hub.
  passedOn: phrase("Forwarded: {{path}}"),
  initialRootBalance: phrase("Initial balance of the root account"),
  initialBalance: phrase("Initial balance"),
  newAccountGift: phrase("Gift for a new account"),
  inviteCodeGift: phrase("Gift for using an invite code"),
  invited: phrase("Invited {{name}}"),
  redemptionCode: phrase("Redemption code {{name}}"),
  onlineTopUp: phrase("Online top-up {{order}}, {{paid}} paid"),
  orderRefund: phrase("Refund of the order {{order}}: {{reason}}"),
  taskRefund: phrase("The {{platform}} task {{task}} failed: its charge is refunded."),
  balanceExpired: phrase("The balance was valid until {{time}} UTC"),
  paymentTrouble: phrase("{{reason}} ({{order}}, {{payment}})"),
  jobOverrun: phrase("The job has been running for {{minutes}} minutes and continues."),
  uploadRefused: phrase("An upload was refused. Too little space is left."),
  uploadFailed: phrase("An upload was refused. {{reason}}"),
  storageLow: phrase("{{megabytes}} MB left. Below 256 MB, uploads larger than 1 MB are refused."),
} satisfies Record<ReasonName, string>;

const isReason = (code: string): code is ReasonName => Object.hasOwn(reasonPhrases, code);

/** Returns whether a reason is or was caused by an error, whose message `useErrorTexts` loads. */
export function namesError(facts: readonly ReasonFact[]): boolean {
  return facts.some(({ code }) => !isReason(code));
}

/**
 * Translates a stored reason. A text without facts stays as it is: a user, a provider or an earlier version
 * wrote it. When facts may be errors, `useErrorTexts` loads their messages.
 * @param text English text, for facts of another version
 * @param kindText English label of a kind of failure; defaults to that of the log
 */
export function storedReason(
  t: TFunction,
  text: string,
  facts: readonly ReasonFact[],
  kindText: (kind: string) => string = attemptResultText,
): string {
  let reason: string | undefined;
  // The last fact is the cause of those before it.
  for (const { code, params } of facts.toReversed()) {
    const { kind } = params;
    const known = { ...params, ...(reason === undefined ? {} : { reason }) };
    reason = isReason(code)
      ? t(reasonPhrases[code], typeof kind === "string" ? { ...known, kind: t(kindText(kind)) } : known)
      : codeText(t, code, params);
    if (reason === undefined) return text;
  }
  return reason ?? text;
}

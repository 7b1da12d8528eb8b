/** Translates the reason of a gateway action from its facts. */
import type { ReasonFact, ReasonName } from "@gateway/shared/reasons";
import type { TFunction } from "i18next";
import { codeText } from "#lib/errors/error-text.ts";
import { moneyText } from "#lib/format/money.ts";
import { phrase } from "#lib/i18n.ts";
import { attemptResultText } from "./attempt-labels.ts";

/** The server's templates, marked for translation. */
export const reasonPhrases = {
  keyRefused: phrase(
    "The provider refuses the key. {{times}} calls in a row failed, and a test also failed ({{message}}).",
  ),
  keyUnreadable: phrase("The key cannot be read: {{fault}}."),
  keyReadAgain: phrase("The key can be read again."),
  accountWithoutBalance: phrase(
    "The provider account has no balance. {{times}} calls in a row failed, and a test also failed ({{message}}).",
  ),
  callsFailed: phrase(
    "None of {{calls}} calls in {{minutes}} minutes succeeded (last error: {{kind}}). A test also failed ({{message}}).",
  ),
  circuitByTest: phrase("Too many calls failed (last error: {{kind}}). A test confirmed the failure."),
  circuitByAccounts: phrase(
    "Too many calls failed (last error: {{kind}}). Calls of {{accounts}} accounts confirmed the failure.",
  ),
  callSucceeded: phrase("A call succeeded."),
  testSucceeded: phrase("A test with {{model}} succeeded."),
  testsSlow: phrase("Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms."),
  testsFailed: phrase("Two tests with {{model}} failed. {{message}}"),
  accountEmpty: phrase("The provider account has no balance ({{balance}})."),
  lastKey: phrase("None of the channel's {{keys}} keys is enabled. Last key disabled: {{reason}}"),
  hasKeyAgain: phrase("The channel has an enabled key again."),
  disabled: phrase("Disabled: {{reason}}"),
  importedDisabled: phrase("The channel was disabled in the other gateway."),
  importType: phrase(
    "The channel type {{type}} has no counterpart here. It was imported as an OpenAI-compatible channel. Check it and enable it.",
  ),
  importProvider: phrase(
    "The provider {{provider}} has no counterpart here. Enter an address and enable the channel.",
  ),
  importReseller: phrase("The provider no longer exists. Check the address and enable the channel."),
  importAddress: phrase("The address of the channel cannot be used."),
  importAddressPattern: phrase(
    "The address contains a placeholder for the model, which is not supported here.",
  ),
  importWholeAddress: phrase(
    "The other gateway called exactly this address. This gateway adds the API path. Check the address and enable the channel.",
  ),
  importNoAddress: phrase("The channel has no address. Enter it and enable the channel."),
  importCodingPlan: phrase(
    "The channel had the name of a coding plan instead of an address. Enter the address and enable the channel.",
  ),
  importNoModels: phrase("The channel has no models."),
  importNoServiceAccount: phrase(
    "The key is not a service account of Google. Enter one and enable the channel.",
  ),
  importModelsBlocked: phrase("The models of the channel were blocked in LiteLLM."),
  importVariable: phrase(
    "The variable {{variable}} was not set during the import. Enter its value and enable the channel.",
  ),
  importBotModels: phrase(
    "Each model of the channel is the name of a bot. Check the models and enable the channel.",
  ),
  importOwnRoutes: phrase("The channel's special routes do not exist here. Check the channel and enable it."),
  importBaiduKey: phrase(
    "Baidu has discontinued the API for pairs of APIKey and SecretKey. Enter a key that starts with bce-v3.",
  ),
  importTencentKey: phrase(
    "Tencent has discontinued the API for keys with an AppId. Enter an API key for the current Hunyuan API.",
  ),
  importBedrockModels: phrase(
    "Bedrock requires its own model IDs. Enter them in the model mapping and enable the channel.",
  ),
  balanceNotReported: phrase("This provider does not report the balance."),
  noCheapTest: phrase("No inexpensive request can test this model."),
  testNotCheap: phrase("This model is not tested because a test costs more than a short chat."),
  testNeedsRecording: phrase("This model is not tested because transcription requires a recording."),
  testTakesMinutes: phrase("This model is not tested because videos and music take minutes to generate."),
  testNeedsSocket: phrase("This model is not tested because it works over WebSocket only."),
  modelsNotListed: phrase("This provider does not offer a list of models."),
  modelListEmpty: phrase("The provider returned an empty list of models."),
  modelListCompared: phrase("New: {{added}}, removed: {{removed}}."),
  // The API keeps the text of One Hub.
  passedOn: phrase("Forwarded: {{path}}"),
  mcpToolError: phrase("The tool reported an error. Nothing was charged."),
  initialRootBalance: phrase("Initial balance of the root account"),
  initialBalance: phrase("Initial balance"),
  newAccountGift: phrase("Gift for a new account"),
  inviteCodeGift: phrase("Gift for using an invite code"),
  invited: phrase("Invited {{name}}"),
  redemptionCode: phrase("Redemption code {{name}}"),
  onlineTopUp: phrase("Online top-up {{order}}, {{paid}} paid"),
  orderRefund: phrase("Refund of the order {{order}}: {{reason}}"),
  taskRefund: phrase("The {{platform}} task {{task}} failed. Its charge was refunded."),
  balanceExpired: phrase("The balance was valid until {{time}} UTC"),
  paymentTrouble: phrase("{{reason}} ({{order}}, {{payment}})"),
  jobOverrun: phrase("The job has been running for {{minutes}} minutes and continues."),
  uploadRefused: phrase("An upload was refused because disk space is low."),
  uploadFailed: phrase("An upload was refused. {{reason}}"),
  replicaUnreachable: phrase("The replica does not respond."),
  replicaLagging: phrase("The replica is further behind the database than allowed."),
  replicaNotStandby: phrase("The address of the replica leads to a server that is not a standby."),
  replicaOtherDatabase: phrase("The address of the replica leads to another database."),
  storageLow: phrase(
    "{{megabytes}} MB of disk space left. Below 256 MB, uploads larger than 1 MB are refused.",
  ),
} satisfies Record<ReasonName, string>;

const isReason = (code: string): code is ReasonName => Object.hasOwn(reasonPhrases, code);

/** Returns whether a reason is or was caused by an error, whose message `useErrorTexts` loads. */
export function hasErrorCode(facts: readonly ReasonFact[]): boolean {
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
    const { kind, paid } = params;
    const translation = {
      ...params,
      ...(typeof paid === "string" ? { paid: moneyText(paid) } : {}),
      ...(reason === undefined ? {} : { reason }),
    };
    reason = isReason(code)
      ? t(
          reasonPhrases[code],
          typeof kind === "string" ? { ...translation, kind: t(kindText(kind)) } : translation,
        )
      : codeText(t, code, params);
    if (reason === undefined) return text;
  }
  return reason ?? text;
}

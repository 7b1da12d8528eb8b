import { z } from "zod";
import { filled, type Values, type WireParams } from "#errors/phrase.ts";

/**
 * Why the gateway did something. It stores facts, from which the console builds the text in the reader's
 * language, and the English text for the API. No code parses that text.
 */
export const reasons = {
  // a channel, its keys and its circuit breakers
  keyRefused:
    "The provider refuses the key: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  accountWithoutBalance:
    "The provider's account has no balance: {{times}} calls in a row failed, and a test failed too ({{message}}).",
  callsFailed:
    "None of {{calls}} calls in {{minutes}} minutes succeeded (the last: {{kind}}), and a test failed too ({{message}}).",
  circuitByTest: "Too many calls failed (the last: {{kind}}), confirmed by a test.",
  circuitByAccounts:
    "Too many calls failed (the last: {{kind}}), confirmed by calls of {{accounts}} accounts.",
  callSucceeded: "A call succeeded.",
  testSucceeded: "A test with {{model}} succeeded.",
  testsSlow: "Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms.",
  testsFailed: "Two tests with {{model}} failed. {{message}}",
  accountEmpty: "The provider's account is empty: {{balance}}.",
  lastKey: "None of its {{keys}} keys is enabled. The last one: {{reason}}",
  hasKeyAgain: "It has an enabled key again.",
  disabled: "Disabled: {{reason}}",
  // channels that were imported
  importedDisabled: "It was disabled in the other gateway.",
  importType:
    "Its type {{type}} has no counterpart. It is an OpenAI-compatible channel now: check it and enable it.",
  importProvider: "Its provider {{provider}} has no counterpart. Enter an address and enable the channel.",
  importReseller: "Its provider no longer exists. Check the address and enable the channel.",
  importAddress: "Its address cannot be used.",
  importAddressPattern: "Its address has a placeholder for the model, which does not exist here.",
  importWholeAddress:
    "The other gateway called exactly this address. Here the path of the API is added: check it and enable the channel.",
  importNoAddress: "It has no address. Enter it and enable the channel.",
  importCodingPlan:
    "It had the name of a coding plan instead of an address. Enter the address and enable the channel.",
  importNoModels: "It has no models.",
  importModelsBlocked: "LiteLLM had blocked its models.",
  importVariable:
    "The variable {{variable}} was not set during the import. Enter its value and enable the channel.",
  importBotModels: "Each model is the name of a bot. Check the models and enable the channel.",
  importOwnRoutes: "Its own routes do not exist here. Check it and enable it.",
  importBaiduKey:
    "Baidu ended the API of keys with an APIKey and a SecretKey. Enter a key that begins with bce-v3.",
  importTencentKey:
    "Tencent ended the API of keys with an AppId. Enter an API key of the current Hunyuan API.",
  importBedrockModels:
    "Bedrock's own model ids are needed. Enter them in the model mapping and enable the channel.",
  // skipped tests
  balanceNotReported: "This provider does not report the balance.",
  noCheapTest: "No inexpensive request can test this model.",
  testNotCheap: "Testing this model costs more than a short chat.",
  testNeedsRecording: "Transcription needs a recording, so this model is not tested.",
  testTakesMinutes: "Videos and music take minutes, so this model is not tested.",
  testNeedsSocket: "This model works over WebSocket only, so it is not tested.",
  // lists of models
  modelsNotListed: "This provider has no list of models.",
  modelListEmpty: "The provider returned an empty list of models.",
  modelListCompared: "New: {{added}}, removed: {{removed}}.",
  // calls
  passedOn: "relay:{{path}}",
  // credits
  initialRootBalance: "Initial balance of the root account",
  initialBalance: "Initial balance",
  newAccountGift: "Gift for a new account",
  inviteCodeGift: "Gift for using an invite code",
  invited: "Invited {{name}}",
  redemptionCode: "Redemption code {{name}}",
  onlineTopUp: "Online top-up {{order}}, {{paid}} paid",
  orderRefund: "Refund of the order {{order}}: {{reason}}",
  taskRefund: "The {{platform}} task {{task}} failed: its charge is refunded.",
  balanceExpired: "The balance was valid until {{time}} UTC",
  // payments
  paymentTrouble: "{{reason}} ({{order}}, {{payment}})",
  // the server
  jobOverrun: "The job has been running for {{minutes}} minutes and continues.",
  uploadRefused: "An upload was refused. Too little space is left.",
  uploadFailed: "An upload was refused. {{reason}}",
  storageLow: "{{megabytes}} MB left. Below 256 MB, uploads larger than 1 MB are refused.",
} as const;

export type ReasonName = keyof typeof reasons;

/** One fact: a reason of this file or an error code, with the values of its template. */
export const ReasonFact = z.object({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
});
export type ReasonFact = z.infer<typeof ReasonFact>;

/**
 * A fact followed by its causes. The text of each cause fills `reason` in the template before it. Empty for
 * plain text.
 */
export const ReasonFacts = z.array(ReasonFact);

/** A reason as stored: its English text and its facts. */
export interface Reason {
  readonly text: string;
  readonly facts: ReasonFact[];
}

type Template<Name extends ReasonName> = Values<(typeof reasons)[Name]>;
/** No argument when the template has no values. */
type Arguments<Params> = [keyof Params] extends [never] ? [] : [values: Params];

export function reasonOf<Name extends ReasonName>(
  name: Name,
  ...[values]: Arguments<Template<Name>>
): Reason {
  const params: WireParams = { ...values };
  return { text: filled(reasons[name], params), facts: [{ code: name, params: { ...params } }] };
}

type Caused = { [Name in ReasonName]: "reason" extends keyof Template<Name> ? Name : never }[ReasonName];

/** Returns a reason that includes its cause. */
export function reasonBecause<Name extends Caused>(
  name: Name,
  cause: Reason,
  ...[values]: Arguments<Omit<Template<Name>, "reason">>
): Reason {
  const params: WireParams = { ...values };
  const reason = cause.text;
  const own = cause.facts.length === 0 ? { ...params, reason } : { ...params };
  return {
    text: filled(reasons[name], { ...params, reason }),
    facts: [{ code: name, params: own }, ...cause.facts],
  };
}

/** Returns a reason without facts, for text from a person or a provider. */
export function plainReason(text: string): Reason {
  return { text, facts: [] };
}

/** Parses stored facts. Returns none if another version stored text only or an unknown shape. */
export function storedFacts(stored: unknown): ReasonFact[] {
  return ReasonFacts.safeParse(stored).data ?? [];
}

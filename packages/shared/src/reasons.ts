import { z } from "zod";
import { fillTemplate, type Values, type WireParams } from "#errors/phrase.ts";

/**
 * Why the gateway did something. It stores facts, from which the console builds the text in the reader's
 * language, and the English text for the API. No code parses that text.
 */
export const reasons = {
  // a channel, its keys and its circuit breakers
  keyRefused:
    "The provider refuses the key. {{times}} calls in a row failed, and a test also failed ({{message}}).",
  keyUnreadable: "The key cannot be read: {{fault}}.",
  keyReadAgain: "The key can be read again.",
  accountWithoutBalance:
    "The provider account has no balance. {{times}} calls in a row failed, and a test also failed ({{message}}).",
  callsFailed:
    "None of {{calls}} calls in {{minutes}} minutes succeeded (last error: {{kind}}). A test also failed ({{message}}).",
  circuitByTest: "Too many calls failed (last error: {{kind}}). A test confirmed the failure.",
  circuitByAccounts:
    "Too many calls failed (last error: {{kind}}). Calls of {{accounts}} accounts confirmed the failure.",
  callSucceeded: "A call succeeded.",
  testSucceeded: "A test with {{model}} succeeded.",
  testsSlow: "Two tests with {{model}} took longer than {{limit}} s: {{first}} ms and {{second}} ms.",
  testsFailed: "Two tests with {{model}} failed. {{message}}",
  accountEmpty: "The provider account has no balance ({{balance}}).",
  lastKey: "None of the channel's {{keys}} keys is enabled. Last key disabled: {{reason}}",
  hasKeyAgain: "The channel has an enabled key again.",
  disabled: "Disabled: {{reason}}",
  // channels that were imported
  importedDisabled: "The channel was disabled in the other gateway.",
  importType:
    "The channel type {{type}} has no counterpart here. It was imported as an OpenAI-compatible channel. Check it and enable it.",
  importProvider:
    "The provider {{provider}} has no counterpart here. Enter an address and enable the channel.",
  importReseller: "The provider no longer exists. Check the address and enable the channel.",
  importAddress: "The address of the channel cannot be used.",
  importAddressPattern: "The address contains a placeholder for the model, which is not supported here.",
  importWholeAddress:
    "The other gateway called exactly this address. This gateway adds the API path. Check the address and enable the channel.",
  importNoAddress: "The channel has no address. Enter it and enable the channel.",
  importCodingPlan:
    "The channel had the name of a coding plan instead of an address. Enter the address and enable the channel.",
  importNoModels: "The channel has no models.",
  importNoServiceAccount: "The key is not a service account of Google. Enter one and enable the channel.",
  importModelsBlocked: "The models of the channel were blocked in LiteLLM.",
  importVariable:
    "The variable {{variable}} was not set during the import. Enter its value and enable the channel.",
  importBotModels: "Each model of the channel is the name of a bot. Check the models and enable the channel.",
  importOwnRoutes: "The channel's special routes do not exist here. Check the channel and enable it.",
  importBaiduKey:
    "Baidu has discontinued the API for pairs of APIKey and SecretKey. Enter a key that starts with bce-v3.",
  importTencentKey:
    "Tencent has discontinued the API for keys with an AppId. Enter an API key for the current Hunyuan API.",
  importBedrockModels:
    "Bedrock requires its own model IDs. Enter them in the model mapping and enable the channel.",
  // skipped tests
  balanceNotReported: "This provider does not report the balance.",
  noCheapTest: "No inexpensive request can test this model.",
  testNotCheap: "This model is not tested because a test costs more than a short chat.",
  testNeedsRecording: "This model is not tested because transcription requires a recording.",
  testTakesMinutes: "This model is not tested because videos and music take minutes to generate.",
  testNeedsSocket: "This model is not tested because it works over WebSocket only.",
  // lists of models
  modelsNotListed: "This provider does not offer a list of models.",
  modelListEmpty: "The provider returned an empty list of models.",
  modelListCompared: "New: {{added}}, removed: {{removed}}.",
  // calls
  passedOn: "relay:{{path}}",
  mcpToolError: "The tool reported an error. Nothing was charged.",
  // credits
  initialRootBalance: "Initial balance of the root account",
  initialBalance: "Initial balance",
  newAccountGift: "Gift for a new account",
  inviteCodeGift: "Gift for using an invite code",
  invited: "Invited {{name}}",
  redemptionCode: "Redemption code {{name}}",
  onlineTopUp: "Online top-up {{order}}, {{paid}} paid",
  orderRefund: "Refund of the order {{order}}: {{reason}}",
  taskRefund: "The {{platform}} task {{task}} failed. Its charge was refunded.",
  balanceExpired: "The balance was valid until {{time}} UTC",
  // payments
  paymentTrouble: "{{reason}} ({{order}}, {{payment}})",
  // the server
  jobOverrun: "The job has been running for {{minutes}} minutes and continues.",
  uploadRefused: "An upload was refused because disk space is low.",
  uploadFailed: "An upload was refused. {{reason}}",
  replicaUnreachable: "The replica does not respond.",
  replicaLagging: "The replica is further behind the database than allowed.",
  replicaNotStandby: "The address of the replica leads to a server that is not a standby.",
  replicaOtherDatabase: "The address of the replica leads to another database.",
  storageLow: "{{megabytes}} MB of disk space left. Below 256 MB, uploads larger than 1 MB are refused.",
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
  return { text: fillTemplate(reasons[name], params), facts: [{ code: name, params: { ...params } }] };
}

type ReasonWithCause = {
  [Name in ReasonName]: "reason" extends keyof Template<Name> ? Name : never;
}[ReasonName];

export function reasonBecause<Name extends ReasonWithCause>(
  name: Name,
  cause: Reason,
  ...[values]: Arguments<Omit<Template<Name>, "reason">>
): Reason {
  const params: WireParams = { ...values };
  const reason = cause.text;
  const own = cause.facts.length === 0 ? { ...params, reason } : { ...params };
  return {
    text: fillTemplate(reasons[name], { ...params, reason }),
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

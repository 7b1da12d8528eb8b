/**
 * Why the gateway did something: the English sentences that it stores with an event of a channel, a key, a log row or a
 * notice. The console finds the sentence by its template, so that it can show it in the reader's language.
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
} as const;

export type ReasonName = keyof typeof reasons;
type Names<Text extends string> = Text extends `${string}{{${infer Name}}}${infer Rest}`
  ? Name | Names<Rest>
  : never;
type Values<Name extends ReasonName> = Readonly<Record<Names<(typeof reasons)[Name]>, string | number>>;
/** A sentence without values needs none. */
type Arguments<Name extends ReasonName> = [Names<(typeof reasons)[Name]>] extends [never]
  ? []
  : [values: Values<Name>];

/** The sentence with its values. */
export function reasonOf<Name extends ReasonName>(name: Name, ...[values]: Arguments<Name>): string {
  const given: Readonly<Record<string, string | number>> = values ?? {};
  return reasons[name].replace(/\{\{(\w+)\}\}/g, (_, key: string) => String(given[key] ?? ""));
}

const shapes = Object.values(reasons).map((template) => ({
  template,
  names: [...template.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? ""),
  shape: new RegExp(
    `^${template
      .split(/\{\{\w+\}\}/)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("(.+)")}$`,
    "s",
  ),
}));

/** The template of a stored sentence and its values; undefined when no template fits. */
export function readReason(text: string): { template: string; values: Record<string, string> } | undefined {
  for (const { template, names, shape } of shapes) {
    const match = shape.exec(text);
    if (match === null) continue;
    return {
      template,
      values: Object.fromEntries(names.map((name, index) => [name, match[index + 1] ?? ""])),
    };
  }
  return undefined;
}

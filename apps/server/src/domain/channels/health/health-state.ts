/** Health of one channel as this node knows it, and how it reads for a call and for operators. Pure. */
import type { UpstreamError } from "#dialects/ir.ts";
import type { ActiveChannel, ActiveKey } from "#domain/channels/selection/active-channel.ts";
import { admitsCall, type Circuit } from "./circuit.ts";
import { EVERY_MODEL, type Freeze, type Freezes, WHOLE } from "./freezes.ts";

export interface Evidence {
  count: number;
  first: number;
}

export interface State {
  frozen: Freezes;
  circuits: Map<string, Circuit>;
  /** By key id. */
  refused: Map<number, Evidence>;
  /** Consecutive failures of any model. */
  run: Evidence;
  inProgress: number;
}

/** A pause of a channel. Times are in milliseconds since 1970. */
export interface Pause {
  until: number;
  /** End of the pause that the provider requested; 0 if it requested none. */
  hardUntil: number;
  reason: Frozen["reason"];
  /** The key that is free first; `WHOLE` for a channel without keys. */
  keyId: number;
  /** Whether only calls of the current account are paused. */
  ownOnly: boolean;
}

export interface Frozen {
  /** `*` means every model. */
  model: string;
  /** Null means the whole channel, not one of its keys. */
  keyId: number | null;
  /** In milliseconds since 1970. */
  until: number;
  /** `probing`: the pause is over, but only one call at a time may try. */
  reason: UpstreamError["kind"] | "circuit" | "probing";
  /** Number of accounts it is paused for; 0 means every account. */
  accounts: number;
}

export interface AttemptTarget {
  channel: ActiveChannel;
  key: ActiveKey | undefined;
}

/** Failures that mean that the provider is unavailable, not that it refuses this key or model. */
export const absent: ReadonlySet<string> = new Set<UpstreamError["kind"]>([
  "server",
  "network",
  "timeout",
  "overloaded",
]);
export const refusing: ReadonlySet<string> = new Set<UpstreamError["kind"]>(["auth", "quota"]);
/** Failures of one key. Another key of the same channel may work. */
const ofKey: ReadonlySet<UpstreamError["kind"]> = new Set([
  "auth",
  "quota",
  "rate-limited",
  "key-unavailable",
]);

/** Returns whether another key of the same channel may work. */
export function isKeyFailure(error: UpstreamError): boolean {
  return ofKey.has(error.kind);
}

/** Returns the model and key that a failure pauses. */
export function findFrozenPart(
  { channel, key }: AttemptTarget,
  model: string,
  error: UpstreamError,
): Pick<Freeze, "model" | "keyId"> {
  return {
    model: refusing.has(error.kind) || error.kind === "key-unavailable" ? EVERY_MODEL : model,
    // With a single key, pause the channel: that is what operators recognize.
    keyId: isKeyFailure(error) && channel.keys.length > 1 ? (key?.id ?? WHOLE) : WHOLE,
  };
}

function later(one: Freeze | undefined, other: Freeze | undefined): Freeze | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.until >= other.until ? one : other;
}

/** Returns the key that is free now or first. A pause that the provider requested ranks after any other. */
function firstFree(
  channel: ActiveChannel,
  state: State,
  model: string,
  account: number,
  at: number,
): { id: number; freeze: Freeze | undefined } | undefined {
  let first: { id: number; freeze: Freeze | undefined } | undefined;
  for (const { id } of channel.keys) {
    const freeze = state.frozen.find(model, id, account, at);
    if (freeze === undefined) return { id, freeze };
    const is = first?.freeze;
    const sooner =
      is === undefined ||
      freeze.hardUntil < is.hardUntil ||
      (freeze.hardUntil === is.hardUntil && freeze.until < is.until);
    if (sooner) first = { id, freeze };
  }
  return first;
}

export function circuitsOf({ circuits }: State, at: number): Frozen[] {
  return [...circuits]
    .filter(([, circuit]) => circuit.openUntil !== 0)
    .map(([model, { openUntil }]) => ({
      model,
      keyId: null,
      until: openUntil,
      reason: openUntil > at ? "circuit" : "probing",
      accounts: 0,
    }));
}

/** Returns one line per model and key, whatever the number of accounts. */
export function listFrozen({ frozen, circuits }: State, at: number): Frozen[] {
  const lines = new Map<string, Frozen>();
  for (const { model, keyId, account, until, reason } of frozen.list(at)) {
    // An open circuit covers the same pause and lasts longer.
    if (keyId === WHOLE && (circuits.get(model)?.openUntil ?? 0) !== 0) continue;
    const name = `${keyId} ${model}`;
    const line = lines.get(name);
    const accounts = account === 0 || line?.accounts === 0 ? 0 : (line?.accounts ?? 0) + 1;
    lines.set(name, {
      model,
      keyId: keyId === WHOLE ? null : keyId,
      until: Math.max(until, line?.until ?? 0),
      reason: line !== undefined && line.until >= until ? line.reason : reason,
      accounts,
    });
  }
  return [...lines.values()];
}

/** Returns why a channel is skipped for this account; undefined if it is not paused. */
export function pauseOf(
  channel: ActiveChannel,
  state: State,
  {
    model,
    account,
    circuit,
    at,
  }: { model: string; account: number; circuit: Circuit | undefined; at: number },
): Pause | undefined {
  const whole = state.frozen.find(model, WHOLE, account, at);
  const key = firstFree(channel, state, model, account, at);
  const freeze = later(whole, key?.freeze);
  const frozenUntil = freeze?.until ?? 0;
  const circuitUntil =
    circuit === undefined || admitsCall(circuit, at) ? 0 : Math.max(circuit.openUntil, at + 1);
  if (frozenUntil === 0 && circuitUntil === 0) return undefined;
  const byCircuit = circuitUntil > frozenUntil;
  const circuitReason = circuitUntil > at + 1 ? "circuit" : "probing";
  return {
    until: Math.max(frozenUntil, circuitUntil),
    hardUntil: Math.max(whole?.hardUntil ?? 0, key?.freeze?.hardUntil ?? 0),
    reason: byCircuit || freeze === undefined ? circuitReason : freeze.reason,
    keyId: key?.id ?? WHOLE,
    ownOnly: circuitUntil === 0 && freeze?.account === account,
  };
}

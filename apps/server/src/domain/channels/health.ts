import type { UpstreamError } from "#dialects/ir.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { ChannelInForce, KeyInForce } from "./channel-in-force.ts";
import { disableChannel, disableKey, noteCircuit } from "./channel-state.ts";
import {
  admits,
  type Circuit,
  isForgotten,
  isHalfOpen,
  newCircuit,
  noteFailure,
  notePass,
} from "./circuit.ts";

/**
 * How channels are doing, as this node saw it: freezes after failures, circuits, calls under way, and the evidence
 * for switching a key or a channel off. Lives in memory; only what is switched off is written down. Knows no calls.
 */
export interface Health {
  /** Whether a call for this model may go to the channel now: not frozen, not full, with a key that is free. */
  usable(channel: ChannelInForce, model: string): boolean;
  keyUsable(channel: ChannelInForce, keyId: number, model: string): boolean;
  /** All pauses of a channel that still hold. */
  freezes(channelId: number): Frozen[];
  /** Milliseconds until the first of these channels thaws for the model; 0 when one is not frozen now. */
  thawsIn(channels: readonly ChannelInForce[], model: string): number;
  /** Whether one of these channels has as many calls under way as it may have. */
  busy(channels: readonly ChannelInForce[]): boolean;
  /** A call sets out; it counts until it leaves. */
  enter(channel: ChannelInForce, model: string): Lease;
  failed(tried: Tried, model: string, error: UpstreamError, options: FailureOptions): void;
  succeeded(tried: Tried, model: string): void;
  /** Forgets what was held against a channel that an operator has just changed or tested well. */
  forgive(channelId: number): void;
}

export interface Frozen {
  /** `*` = every model. */
  model: string;
  /** Null = the whole channel, not one of its keys. */
  keyId: number | null;
  /** Milliseconds since 1970. */
  until: number;
  /** `probing`: the pause is over, but only one call at a time may try. */
  reason: UpstreamError["kind"] | "circuit" | "probing";
}

export interface Lease {
  /** The call is over, however it ended. Once is enough; more do no harm. */
  leave(): void;
}

export interface Tried {
  channel: ChannelInForce;
  key: KeyInForce | undefined;
}

export interface FailureOptions {
  /** Seconds of freeze when the vendor does not say; 0 = none. */
  cooldownSeconds: number;
  mayDisable: boolean;
}

/** A vendor may ask for long pauses; an hour is the most we believe. */
const MAX_FREEZE_SECONDS = 3_600;
/** Refused credentials or balance: so many in a row, over at most so long, without a success in between. */
const EVIDENCE_COUNT = 3;
const EVIDENCE_WINDOW_MS = 10 * 60_000;
/** A channel of which nothing works: so many failures in a row, over at least so long. */
const DEAD_COUNT = 10;
const DEAD_MS = 5 * 60_000;
/** A credential that was refused is refused for every model. */
const EVERY_MODEL = "*";
/** In place of a key: the whole channel. */
const WHOLE = 0;

interface Evidence {
  count: number;
  first: number;
}

interface State {
  /** Model, then key. */
  frozen: Map<string, Map<number, Frozen>>;
  circuits: Map<string, Circuit>;
  /** By key. */
  refused: Map<number, Evidence>;
  /** Failures of any model without a success in between. */
  run: Evidence;
  underWay: number;
}

/** Failures that say that the vendor is not there, not that it will not serve this key or this model. */
const absent: ReadonlySet<UpstreamError["kind"]> = new Set(["server", "network", "timeout", "overloaded"]);
/** Failures of one key; another key of the same channel may do. */
const ofKey: ReadonlySet<UpstreamError["kind"]> = new Set(["auth", "quota", "rate-limited"]);

/** Whether another key of the same channel may do better. */
export function isKeyFailure(error: UpstreamError): boolean {
  return ofKey.has(error.kind);
}

const NO_LEASE: Lease = { leave: () => undefined };

export function createHealth(
  db: PrismaClient,
  options: {
    onError(error: unknown): void;
    now?: () => number;
    /** Nodes that share a channel's limit of concurrent calls. */
    nodes?: () => number;
  },
): Health {
  const now = options.now ?? Date.now;
  const nodes = options.nodes ?? (() => 1);
  const states = new Map<number, State>();

  function stateOf(channelId: number): State {
    let state = states.get(channelId);
    if (state === undefined) {
      state = {
        frozen: new Map(),
        circuits: new Map(),
        refused: new Map(),
        run: { count: 0, first: 0 },
        underWay: 0,
      };
      states.set(channelId, state);
    }
    return state;
  }

  function writeDown(writing: Promise<void>): void {
    writing.catch((error: unknown) => options.onError(error));
  }

  function isFull(channel: ChannelInForce, state: State): boolean {
    if (channel.maxConcurrency === 0) return false;
    return state.underWay >= Math.max(1, Math.floor(channel.maxConcurrency / nodes()));
  }

  /** A key's refusals in a row; enough of them switch it off. */
  function collectEvidence(state: State, { channel, key }: Tried, error: UpstreamError): void {
    const at = now();
    const id = key?.id ?? WHOLE;
    const known = state.refused.get(id);
    const current =
      known === undefined || at - known.first > EVIDENCE_WINDOW_MS ? { count: 0, first: at } : known;
    current.count += 1;
    state.refused.set(id, current);
    if (current.count < EVIDENCE_COUNT) return;
    state.refused.delete(id);
    const what = error.kind === "auth" ? "The vendor refuses the key" : "The vendor's account has no balance";
    const reason = `${what} (HTTP ${error.status}), ${EVIDENCE_COUNT} times in a row.`;
    writeDown(
      key === undefined || key.id === WHOLE
        ? disableChannel(db, channel.id, reason)
        : disableKey(db, channel.id, key.id, reason),
    );
  }

  /** Failures of the whole channel in a row. */
  function collectSilence(state: State, channel: ChannelInForce, error: UpstreamError, may: boolean): void {
    const at = now();
    const { run } = state;
    if (run.count === 0) run.first = at;
    run.count += 1;
    if (!may || run.count < DEAD_COUNT || at - run.first < DEAD_MS) return;
    const minutes = Math.round((at - run.first) / 60_000);
    const reason = `None of ${run.count} calls in ${minutes} minutes was answered (the last: ${error.kind}).`;
    run.count = 0;
    writeDown(disableChannel(db, channel.id, reason));
  }

  function circuitFailed(state: State, channel: ChannelInForce, model: string, error: UpstreamError): void {
    let circuit = state.circuits.get(model);
    if (circuit === undefined) state.circuits.set(model, (circuit = newCircuit(now())));
    const asked = Math.min(error.retryAfter ?? 0, MAX_FREEZE_SECONDS) * 1_000;
    if (!noteFailure(circuit, now(), asked)) return;
    const reason = `Too many calls failed (the last: ${error.kind}).`;
    writeDown(noteCircuit(db, channel.id, "circuit-opened", model, reason));
  }

  /** The vendor answered: a refusal of the request itself is an answer too. */
  function circuitPassed(state: State, channelId: number, model: string): void {
    const circuit = state.circuits.get(model);
    if (circuit === undefined) return;
    if (notePass(circuit, now()))
      writeDown(noteCircuit(db, channelId, "circuit-closed", model, "A call went well."));
    if (isForgotten(circuit, now())) state.circuits.delete(model);
  }

  function tidy(channelId: number, state: State): void {
    const idle = state.underWay === 0 && state.run.count === 0 && state.refused.size === 0;
    if (idle && state.frozen.size === 0 && state.circuits.size === 0) states.delete(channelId);
  }

  return {
    usable(channel, model) {
      const state = states.get(channel.id);
      if (state === undefined) return true;
      if (isFull(channel, state)) return false;
      const at = now();
      const circuit = state.circuits.get(model);
      if (circuit !== undefined && !admits(circuit, at)) return false;
      if (state.frozen.size === 0) return true;
      if (frozenUntil(state, model, WHOLE, at) > 0) return false;
      return (
        channel.keys.length === 0 || channel.keys.some((key) => frozenUntil(state, model, key.id, at) === 0)
      );
    },
    keyUsable(channel, keyId, model) {
      const state = states.get(channel.id);
      return state === undefined || frozenUntil(state, model, keyId, now()) === 0;
    },
    freezes(channelId) {
      const state = states.get(channelId);
      if (state === undefined) return [];
      const at = now();
      const circuits = [...state.circuits]
        .filter(([, circuit]) => circuit.openUntil !== 0)
        .map(([model, { openUntil }]) => {
          const reason: Frozen["reason"] = openUntil > at ? "circuit" : "probing";
          return { model, keyId: null, until: openUntil, reason };
        });
      const paused = new Set(circuits.map(({ model }) => model));
      const freezes = [...state.frozen.values()]
        .flatMap((keys) => [...keys.values()])
        .filter(({ until, model, keyId }) => until > at && !(keyId === null && paused.has(model)));
      return [...circuits, ...freezes];
    },
    thawsIn(channels, model) {
      const at = now();
      let soonest = Number.POSITIVE_INFINITY;
      for (const channel of channels) {
        const state = states.get(channel.id);
        if (state === undefined) return 0;
        const circuit = state.circuits.get(model);
        const shut = Math.max(circuit?.openUntil ?? 0, frozenUntil(state, model, WHOLE, at));
        const keys = channel.keys.map((key) => frozenUntil(state, model, key.id, at));
        const until = Math.max(shut, keys.length === 0 ? 0 : Math.min(...keys));
        if (until <= at) return 0;
        soonest = Math.min(soonest, until - at);
      }
      return Number.isFinite(soonest) ? soonest : 0;
    },
    busy: (channels) =>
      channels.some((channel) => {
        const state = states.get(channel.id);
        return state !== undefined && isFull(channel, state);
      }),
    enter(channel, model) {
      const known = states.get(channel.id);
      const circuit = known?.circuits.get(model);
      const at = now();
      const probes = circuit !== undefined && isHalfOpen(circuit, at);
      if (channel.maxConcurrency === 0 && !probes) return NO_LEASE;
      const state = known ?? stateOf(channel.id);
      state.underWay += 1;
      if (probes) circuit.probeSince = at;
      let over = false;
      return {
        leave() {
          if (over) return;
          over = true;
          state.underWay -= 1;
          if (probes && circuit.probeSince === at) circuit.probeSince = 0;
          tidy(channel.id, state);
        },
      };
    },
    failed({ channel, key }, model, error, { cooldownSeconds, mayDisable }) {
      // The caller's own mistake says nothing against the channel.
      if (error.kind === "bad-request") {
        const state = states.get(channel.id);
        if (state !== undefined) circuitPassed(state, channel.id, model);
        return;
      }
      const state = stateOf(channel.id);
      const seconds = Math.min(error.retryAfter ?? cooldownSeconds, MAX_FREEZE_SECONDS);
      const everyModel = error.kind === "auth" || error.kind === "quota";
      // Of a single key, the channel is what people know.
      const keyId = isKeyFailure(error) && channel.keys.length > 1 ? (key?.id ?? WHOLE) : WHOLE;
      if (seconds > 0) {
        const name = everyModel ? EVERY_MODEL : model;
        let keys = state.frozen.get(name);
        if (keys === undefined) state.frozen.set(name, (keys = new Map()));
        const until = now() + seconds * 1_000;
        keys.set(keyId, { model: name, keyId: keyId === WHOLE ? null : keyId, until, reason: error.kind });
      }
      if (everyModel && mayDisable) collectEvidence(state, { channel, key }, error);
      if (absent.has(error.kind)) collectSilence(state, channel, error, mayDisable);
      if (!isKeyFailure(error)) circuitFailed(state, channel, model, error);
    },
    succeeded({ channel, key }, model) {
      const state = states.get(channel.id);
      if (state === undefined) return;
      state.refused.delete(key?.id ?? WHOLE);
      state.run.count = 0;
      circuitPassed(state, channel.id, model);
      frozenUntil(state, model, WHOLE, now());
      tidy(channel.id, state);
    },
    forgive(channelId) {
      const state = states.get(channelId);
      if (state === undefined) return;
      state.frozen.clear();
      state.circuits.clear();
      state.refused.clear();
      state.run.count = 0;
      tidy(channelId, state);
    },
  };
}

/** Milliseconds since 1970 until which this key, or the whole channel, is frozen for the model; 0 = it is not. */
function frozenUntil(state: State, model: string, keyId: number, at: number): number {
  let until = 0;
  for (const name of [model, EVERY_MODEL]) {
    const keys = state.frozen.get(name);
    const freeze = keys?.get(keyId);
    if (keys === undefined || freeze === undefined) continue;
    if (freeze.until > at) until = Math.max(until, freeze.until);
    else {
      keys.delete(keyId);
      if (keys.size === 0) state.frozen.delete(name);
    }
  }
  return until;
}

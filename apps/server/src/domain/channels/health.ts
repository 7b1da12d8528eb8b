import { reasonOf } from "@gateway/shared/reasons";
import type { UpstreamError } from "#dialects/ir.ts";
import { now as clock } from "#platform/clock.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { ChannelInForce } from "./channel-in-force.ts";
import { noteCircuit } from "./channel-state.ts";
import { admits, type Circuit, isForgotten, isHalfOpen, notePass } from "./circuit.ts";
import { type CircuitSettings, createEvidence, type EvidenceOptions } from "./evidence.ts";
import { createFreezes, WHOLE } from "./freezes.ts";
import {
  absent,
  circuitsOf,
  type Frozen,
  frozenOf,
  frozenPart,
  isKeyFailure,
  type Pause,
  pauseOf,
  refusing,
  type State,
  type Tried,
} from "./health-state.ts";

/**
 * How channels are doing, as this node saw it: freezes after failures, circuits, calls under way, and the evidence
 * for switching a key or a channel off. What affects other accounts than the one whose calls failed is confirmed by a
 * test of the channel, or by calls of several accounts. Lives in memory; only what is switched off is written down.
 */
export interface Health {
  /** Whether a call of this account may go to the channel now: not frozen, not full, with a key that is free. */
  usable(channel: ChannelInForce, model: string, account: number): boolean;
  keyUsable(channel: ChannelInForce, keyId: number, model: string, account: number): boolean;
  /** Why a channel is passed over for this account and until when; undefined when it is not paused. */
  pause(channel: ChannelInForce, model: string, account: number): Pause | undefined;
  /** The first of these channels that are paused, at most `most`; costs next to nothing while none is. */
  pausedAmong(
    channels: readonly ChannelInForce[],
    model: string,
    account: number,
    most: number,
  ): { channel: ChannelInForce; pause: Pause }[];
  /** All pauses of a channel that still hold. */
  freezes(channelId: number): Frozen[];
  /** Whether a channel has as many calls under way as it may have. */
  full(channel: ChannelInForce): boolean;
  /** A call sets out; it counts until it leaves. */
  enter(channel: ChannelInForce, model: string): Lease;
  failed(tried: Tried, model: string, error: UpstreamError, options: FailureOptions): void;
  /** The call that failed here was served by another channel: it was not the request that failed. */
  servedElsewhere(tried: Tried, model: string, error: UpstreamError, account: number): void;
  succeeded(tried: Tried, model: string, account: number): void;
  /** Forgets what was held against a channel that an operator has just changed or tested well. */
  forgive(channelId: number): void;
}

export interface Lease {
  /** The call is over, however it ended. Once is enough; more do no harm. */
  leave(): void;
}

export interface FailureOptions {
  /** Whose call failed. */
  account: number;
  /** Seconds of freeze when the provider does not say; 0 = none. */
  cooldownSeconds: number;
  mayDisable: boolean;
}

export interface HealthOptions {
  onError(error: unknown): void;
  now?: () => number;
  /** Nodes that share a channel's limit of concurrent calls. */
  nodes?: () => number;
  circuit?: () => CircuitSettings;
  test?: EvidenceOptions["test"];
}

/** A provider may ask for long pauses; an hour is the most we believe. */
const MAX_FREEZE_SECONDS = 3_600;
const defaultCircuit: CircuitSettings = { enabled: true, share: 50, pauseMs: 30_000 };

const NO_LEASE: Lease = { leave: () => undefined };

export function createHealth(db: PrismaClient, options: HealthOptions): Health {
  const now = options.now ?? clock;
  const nodes = options.nodes ?? (() => 1);
  const rules = options.circuit ?? (() => defaultCircuit);
  const states = new Map<number, State>();
  const { onError, test } = options;
  const evidence = createEvidence(db, { now, onError, circuit: rules, test });

  function stateOf(channelId: number): State {
    let state = states.get(channelId);
    if (state === undefined) {
      state = {
        frozen: createFreezes(),
        circuits: new Map(),
        refused: new Map(),
        run: { count: 0, first: 0 },
        inProgress: 0,
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
    return state.inProgress >= Math.max(1, Math.floor(channel.maxConcurrency / nodes()));
  }

  /** The provider answered: a refusal of the request itself is an answer too. */
  function circuitPassed(state: State, channelId: number, model: string): void {
    const circuit = state.circuits.get(model);
    if (circuit === undefined) return;
    if (notePass(circuit, now()))
      writeDown(noteCircuit(db, channelId, "circuit-closed", model, reasonOf("callSucceeded")));
    if (isForgotten(circuit, now())) state.circuits.delete(model);
  }

  function tidy(channelId: number, state: State): void {
    const idle = state.inProgress === 0 && state.run.count === 0 && state.refused.size === 0;
    if (idle && state.frozen.isEmpty() && state.circuits.size === 0) states.delete(channelId);
  }

  function circuitOf(state: State, model: string): Circuit | undefined {
    if (state.circuits.size === 0 || !rules().enabled) return undefined;
    return state.circuits.get(model);
  }

  function pauseFor(channel: ChannelInForce, model: string, account: number): Pause | undefined {
    const state = states.get(channel.id);
    if (state === undefined) return undefined;
    return pauseOf(channel, state, { model, account, circuit: circuitOf(state, model), at: now() });
  }

  return {
    usable(channel, model, account) {
      const state = states.get(channel.id);
      if (state === undefined) return true;
      if (isFull(channel, state)) return false;
      const circuit = circuitOf(state, model);
      if (circuit !== undefined && !admits(circuit, now())) return false;
      if (state.frozen.isEmpty()) return true;
      const at = now();
      if (state.frozen.find(model, WHOLE, account, at) !== undefined) return false;
      return (
        channel.keys.length === 0 ||
        channel.keys.some((key) => state.frozen.find(model, key.id, account, at) === undefined)
      );
    },
    keyUsable(channel, keyId, model, account) {
      const state = states.get(channel.id);
      return state === undefined || state.frozen.find(model, keyId, account, now()) === undefined;
    },
    pause: pauseFor,
    pausedAmong(channels, model, account, most) {
      const found: { channel: ChannelInForce; pause: Pause }[] = [];
      if (states.size === 0) return found;
      for (const channel of channels) {
        const pause = pauseFor(channel, model, account);
        if (pause !== undefined && found.push({ channel, pause }) >= most) break;
      }
      return found;
    },
    freezes(channelId) {
      const state = states.get(channelId);
      return state === undefined ? [] : [...circuitsOf(state, now()), ...frozenOf(state, now())];
    },
    full(channel) {
      const state = states.get(channel.id);
      return state !== undefined && isFull(channel, state);
    },
    enter(channel, model) {
      const known = states.get(channel.id);
      const circuit = known === undefined ? undefined : circuitOf(known, model);
      const at = now();
      const probes = circuit !== undefined && isHalfOpen(circuit, at);
      if (channel.maxConcurrency === 0 && !probes) return NO_LEASE;
      const state = known ?? stateOf(channel.id);
      state.inProgress += 1;
      if (probes) circuit.probeSince = at;
      let over = false;
      return {
        leave() {
          if (over) return;
          over = true;
          state.inProgress -= 1;
          if (probes && circuit.probeSince === at) circuit.probeSince = 0;
          tidy(channel.id, state);
        },
      };
    },
    failed(tried, model, error, { account, cooldownSeconds, mayDisable }) {
      const { channel } = tried;
      // The caller's own mistake says nothing against the channel.
      if (error.kind === "bad-request") {
        const state = states.get(channel.id);
        if (state !== undefined) circuitPassed(state, channel.id, model);
        return;
      }
      const state = stateOf(channel.id);
      const at = now();
      const seconds = Math.min(error.retryAfter ?? cooldownSeconds, MAX_FREEZE_SECONDS);
      const until = at + seconds * 1_000;
      const hardUntil = error.retryAfter === undefined ? 0 : until;
      if (seconds > 0)
        state.frozen.add(
          { ...frozenPart(tried, model, error), account, until, hardUntil, reason: error.kind },
          at,
        );
      if (refusing.has(error.kind) && mayDisable) evidence.collectEvidence(state, tried);
      if (absent.has(error.kind)) evidence.collectSilence(state, tried, error, mayDisable);
      if (!isKeyFailure(error)) evidence.circuitFailed(state, tried, model, error, account);
    },
    servedElsewhere(tried, model, error, account) {
      const part = frozenPart(tried, model, error);
      states.get(tried.channel.id)?.frozen.confirm(part.model, part.keyId, account, now());
    },
    succeeded({ channel, key }, model, account) {
      const state = states.get(channel.id);
      if (state === undefined) return;
      state.refused.delete(key?.id ?? WHOLE);
      state.run.count = 0;
      circuitPassed(state, channel.id, model);
      state.frozen.end(model, key?.id ?? WHOLE, account);
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

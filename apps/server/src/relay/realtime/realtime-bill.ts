import type { Tally } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { type Estimate, tokensOf } from "#domain/pricing/estimate.ts";
import { computeBill, findPrice } from "#domain/pricing/pricing.ts";
import { GatewayError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { Call, Chosen } from "#relay/core/call.ts";
import { type End, CallLifecycle } from "#relay/core/lifecycle.ts";
import { addTo } from "#relay/core/meter.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { TOKENS_PER_SECOND_HEARD } from "#relay/media/plain-usage.ts";
import { type HeardPart, type SessionFacts, TOKENS_PER_SECOND_SAID } from "./realtime-events.ts";

/**
 * The money of a realtime session: every response has a hold of its own, which becomes its charge and its log row
 * before the client hears that the response is done; one more hold waits for the next response while the session is
 * open. Knows no sockets.
 */
export interface RealtimeBill {
  /** What the session says about itself. */
  facts: SessionFacts;
  /** A response has begun at the vendor. Throws when it cannot be held for. */
  begin(id: string): Promise<void>;
  /**
   * Sees to it that the next response is reserved for, with what the conversation has by now. Throws when it cannot be.
   * @param limit output tokens that the response may have, where its request names a limit of its own
   */
  ready(limit?: number): Promise<void>;
  /** The client's latest limit for the whole session; undefined where it sets none. */
  limit(output: number | undefined): void;
  /** Notes what a client sent. The reservation grows with it; throws when it cannot. */
  heard(part: HeardPart): Promise<void>;
  said(id: string, part: { text: string } | { bytes: number }): void;
  /** Charges a response. */
  done(id: string, usage: Usage | undefined, outcome: End["outcome"]): Promise<void>;
  /**
   * Charges what was said by the person, written down by another model: at once, or with the response under way, so
   * that a session never holds more at a time than its responses.
   */
  transcribed(item: string, usage: Usage | undefined, text: string): Promise<void>;
  /** A recording is being written down, so far with these words; charged by our count if its end never comes. */
  transcribing(item: string, text: string): void;
  /** Nothing came of it. */
  untranscribed(item: string): void;
  /** Responses under way. */
  busy(): boolean;
  /** Anything under way that is to be charged. */
  owes(): boolean;
  /** Charges what was delivered of them, gives the rest back, and writes the session's own row. Never throws. */
  close(outcome: End["outcome"]): Promise<void>;
}

/** Tokens that a turn may bring besides what the conversation has. */
const TURN_TOKENS = 2_000;
const OUTPUT_TOKENS = 4_096;
/** A larger limit cannot be billed. */
const MOST_TOKENS = 1_000_000_000;

/** A picture has up to 1,640 tokens, and is counted with the text. */
const CHARACTERS_PER_IMAGE = 4 * 1_640;

interface Count {
  tally: Tally;
  /** Seconds. */
  sound: number;
}

interface Turn {
  lifecycle: CallLifecycle;
  call: Call;
  said: Count;
  /** What was heard before it began: part of its input. */
  heardBefore: Count;
}

/** The most that a session's first response can use; the model's own most for an answer. */
export function realtimeEstimate(): Estimate {
  return estimateOf({ text: 0, sound: 0 }, OUTPUT_TOKENS);
}

/** @param output no less than an answer has without a limit: one that is set now can be lifted before the answer */
function estimateOf({ text, sound }: Read, output: number): Estimate {
  const audioInput = sound + TURN_TOKENS;
  return { input: text + audioInput, audioInput, output, audioOutput: output, isOpen: true };
}

/** Input tokens of a conversation. */
interface Read {
  text: number;
  sound: number;
}

/** Whether a reservation is enough for what has come since; its spare is not asked for again. */
function covers({ input, audioInput = 0, output }: Usage, { text, sound }: Read, most: number): boolean {
  return input >= text + sound && audioInput >= sound && output >= most;
}

export function openBill(
  services: RelayServices,
  session: { call: Call; chosen: Chosen; first: CallLifecycle; admit(call: Call): Promise<Call> },
): RealtimeBill {
  const { call, chosen } = session;
  const openedAt = call.startedAt;
  const turns = new Map<string, Turn>();
  let spare: Turn | undefined = newTurn(session.first, call);
  let holding: Promise<Turn> | undefined;
  let number = 0;
  let closed = false;
  /** Of the conversation so far, by the vendor's last word, and of what came after it. */
  let context = { text: 0, sound: 0 };
  let pending = nothing();
  /** Seconds of sound since the last recording. */
  let recording = 0;
  const transcriptions = new Map<string, Count>();
  let owed: { usage: Usage; at: Chosen }[] = [];
  let facts: SessionFacts = {
    maxOutput: undefined,
    heardBytesPerSecond: 48_000,
    saidBytesPerSecond: 48_000,
    transcriber: undefined,
  };

  /** What the client asked for last, which the provider has not confirmed yet. */
  let wanted: number | undefined;

  const nextId = () => `${call.requestId}-${(number += 1)}`;
  const read = () => ({
    text: context.text + tokensOf(pending.tally),
    sound: context.sound + Math.ceil(pending.sound * TOKENS_PER_SECOND_HEARD),
  });

  const mostOutput = (limit: number) =>
    Math.min(MOST_TOKENS, Math.max(OUTPUT_TOKENS, limit, wanted ?? 0, facts.maxOutput ?? 0));
  const costOf = (estimate: Usage) => computeBill(chosen.price, chosen.groupRatio, estimate, 1).points;

  async function hold(rated: boolean, limit: number): Promise<Turn> {
    const estimate = estimateOf(read(), mostOutput(limit));
    const asked = { ...call, requestId: nextId(), startedAt: now(), estimate };
    return reserve(rated ? await session.admit(asked) : unrated(asked), chosen, costOf(estimate));
  }

  /** The same reservation, for more. It is gone when that fails. */
  async function raise(turn: Turn, limit: number): Promise<Turn> {
    const estimate = estimateOf(read(), mostOutput(limit));
    const { requestId, caller } = turn.call;
    const amount = costOf(estimate);
    try {
      await services.ledger.raise({
        requestId,
        userId: caller.userId,
        tokenId: caller.tokenId,
        amount,
        tokenAmount: caller.unlimited ? 0n : amount,
      });
    } catch (error) {
      services.open.delete(requestId);
      turn.lifecycle.refuse(error);
      throw error;
    }
    turn.call.estimate = estimate;
    return turn;
  }

  async function reserve(turn: Call, at: Chosen, amount: bigint): Promise<Turn> {
    const lifecycle = new CallLifecycle(services, turn);
    lifecycle.modelKnown = true;
    lifecycle.chosen = at;
    try {
      await services.ledger.reserve({
        requestId: turn.requestId,
        userId: turn.caller.userId,
        tokenId: turn.caller.tokenId,
        amount,
        tokenAmount: turn.caller.unlimited ? 0n : amount,
      });
    } catch (error) {
      lifecycle.refuse(error);
      throw error;
    }
    services.open.set(turn.requestId, lifecycle);
    return newTurn(lifecycle, turn);
  }

  async function take(): Promise<Turn> {
    await ready();
    const turn = spare;
    if (turn === undefined) throw new GatewayError("internal", "A response was not held for.");
    spare = undefined;
    return turn;
  }

  /** One at a time, however many ask. */
  async function ready(rated = true, limit = 0): Promise<void> {
    while (spare === undefined || !covers(spare.call.estimate, read(), mostOutput(limit))) {
      if (holding === undefined) {
        const turn = spare;
        spare = undefined;
        holding = (turn === undefined ? hold(rated, limit) : raise(turn, limit)).finally(() => {
          holding = undefined;
        });
      }
      const turn = await holding;
      if (closed) return giveBack(turn, "complete");
      spare ??= turn;
    }
  }

  /** A transcription, at its own model's price. */
  function owe(usage: Usage): void {
    const billedModel = facts.transcriber ?? chosen.billedModel;
    const price = findPrice(services.prices.table(), billedModel);
    owed.push({ usage, at: price === undefined ? chosen : { ...chosen, billedModel, price } });
  }

  function counted({ said }: Turn): Usage {
    const { text, sound } = read();
    const spoken = Math.ceil(said.sound * TOKENS_PER_SECOND_SAID);
    return {
      input: text + sound,
      ...(sound > 0 ? { audioInput: sound } : {}),
      output: tokensOf(said.tally) + spoken,
      ...(spoken > 0 ? { audioOutput: spoken } : {}),
    };
  }

  async function charge(turn: Turn, outcome: End["outcome"], vendor: Usage | undefined): Promise<void> {
    const { said } = turn;
    const silent = said.sound === 0 && said.tally.narrow === 0 && said.tally.wide === 0;
    // Neither usage nor a word: the vendor did not answer, and that costs nothing.
    const usage = vendor ?? (silent && outcome !== "client-left" ? NOTHING_USED : undefined);
    await turn.lifecycle.settle({
      outcome,
      vendor: usage,
      final: vendor !== undefined,
      delivered: said.tally,
      ...(usage === undefined ? { counted: counted(turn) } : {}),
    });
  }

  /** Through a hold that is there, or one of its own. */
  async function payOwed(held?: Turn): Promise<void> {
    let turn = held;
    for (const { usage, at } of owed.splice(0)) {
      const { points } = computeBill(at.price, at.groupRatio, usage, 1);
      const asked = { ...call, requestId: nextId(), startedAt: now(), estimate: usage };
      turn ??= await reserve(unrated(asked), at, points);
      turn.call.startedAt = now();
      turn.lifecycle.chosen = at;
      await turn.lifecycle.settle({ outcome: "complete", vendor: usage, delivered: nothing().tally });
      turn = undefined;
    }
  }

  async function giveBack(turn: Turn, outcome: End["outcome"]): Promise<void> {
    turn.call.startedAt = openedAt;
    await turn.lifecycle.settle({ outcome, vendor: NOTHING_USED, delivered: nothing().tally });
  }

  return {
    get facts() {
      return facts;
    },
    set facts(said) {
      facts = said;
    },
    async begin(id) {
      if (turns.has(id)) return;
      const turn = await take();
      turn.call.startedAt = now();
      turn.heardBefore = { tally: { ...pending.tally }, sound: pending.sound };
      turns.set(id, turn);
    },
    ready: (limit) => ready(true, limit),
    limit(output) {
      wanted = output;
    },
    async heard({ text, bytes, images }) {
      addTo(pending.tally, text);
      pending.tally.narrow += images * CHARACTERS_PER_IMAGE;
      pending.sound += bytes / facts.heardBytesPerSecond;
      recording += bytes / facts.heardBytesPerSecond;
      if (spare !== undefined) await ready(false);
    },
    said(id, part) {
      const turn = turns.get(id);
      if (turn === undefined) return;
      turn.lifecycle.firstByteAt ??= now();
      turn.lifecycle.progress ??= () => ({
        vendor: undefined,
        delivered: turn.said.tally,
        counted: counted(turn),
      });
      if ("text" in part) addTo(turn.said.tally, part.text);
      else turn.said.sound += part.bytes / facts.saidBytesPerSecond;
    },
    async done(id, usage, outcome) {
      const turn = turns.get(id) ?? (await take());
      turns.delete(id);
      await charge(turn, outcome, usage);
      const known = usage ?? counted(turn);
      const sound = (known.audioInput ?? 0) + (known.audioOutput ?? 0);
      context = { text: known.input + known.output - sound, sound };
      // What came while it was answered is for the next one.
      pending = without(pending, turn.heardBefore);
      await payOwed();
    },
    transcribing(item, text) {
      // A session that has none records for the model alone.
      if (facts.transcriber === undefined && text === "") return;
      let count = transcriptions.get(item);
      if (count === undefined) {
        count = { tally: nothing().tally, sound: recording };
        transcriptions.set(item, count);
        recording = 0;
      }
      addTo(count.tally, text);
    },
    untranscribed(item) {
      transcriptions.delete(item);
    },
    async transcribed(item, usage, text) {
      const count = transcriptions.get(item) ?? nothing();
      transcriptions.delete(item);
      const said = nothing().tally;
      addTo(said, text);
      owe(usage ?? transcriptUsage({ ...count, tally: said }));
      const turn = spare;
      if (turn === undefined && turns.size > 0) return;
      spare = undefined;
      await payOwed(turn);
      await ready(false);
    },
    busy: () => turns.size > 0,
    owes: () => turns.size > 0 || transcriptions.size > 0,
    async close(outcome) {
      closed = true;
      await holding?.catch(() => {});
      for (const count of transcriptions.values()) owe(transcriptUsage(count));
      transcriptions.clear();
      const open = [...turns.values()].map((turn) => charge(turn, outcome, undefined));
      turns.clear();
      if (spare !== undefined) open.push(giveBack(spare, outcome));
      spare = undefined;
      const ends = await Promise.allSettled([...open, Promise.allSettled(open).then(() => payOwed())]);
      for (const end of ends) if (end.status === "rejected") services.onError(end.reason);
    },
  };
}

/** Part of a session that was let in: it asks no rate. */
function unrated(call: Call): Call {
  const { used: _used, ...rest } = call;
  return rest;
}

const NOTHING_USED: Usage = { input: 0, output: 0 };

/** Our own count. */
function transcriptUsage({ tally, sound }: Count): Usage {
  const input = Math.ceil(sound * TOKENS_PER_SECOND_HEARD);
  return { input, output: tokensOf(tally), ...(input > 0 ? { audioInput: input } : {}) };
}

function newTurn(lifecycle: CallLifecycle, call: Call): Turn {
  return { lifecycle, call, said: nothing(), heardBefore: nothing() };
}

function without({ tally, sound }: Count, part: Count): Count {
  return {
    tally: {
      narrow: tally.narrow - part.tally.narrow,
      wide: tally.wide - part.tally.wide,
      spaces: (tally.spaces ?? 0) - (part.tally.spaces ?? 0),
    },
    sound: sound - part.sound,
  };
}

function nothing(): Count {
  return { tally: { narrow: 0, wide: 0 }, sound: 0 };
}

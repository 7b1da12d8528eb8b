import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { computeBill, findPrice } from "#domain/pricing/pricing.ts";
import { internalError } from "#errors.ts";
import { now } from "#platform/clock.ts";
import { CallBill } from "#relay/core/billing/call-bill.ts";
import type { EndedCall } from "#relay/core/billing/call-end.ts";
import { addTo } from "#relay/core/billing/meter.ts";
import type { PricedTarget, ReceivedCall, RoutedCall } from "#relay/core/call.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { AUDIO_INPUT_TOKENS_PER_SECOND } from "#relay/media/plain-usage.ts";
import { covers, estimateOf, longestOutput } from "./realtime-estimate.ts";
import { type InputPart, type SessionFacts, AUDIO_OUTPUT_TOKENS_PER_SECOND } from "./realtime-events.ts";

/**
 * The billing of a realtime session. Every response has its own reservation, which becomes its charge and log
 * row before the client receives the response's end. While the session is open, one more reservation waits
 * for the next response. Does not use sockets.
 */
export interface RealtimeBill {
  /** Facts that the session reports. */
  facts: SessionFacts;
  /** Called when a response has begun at the provider. Throws when it cannot be reserved. */
  begin(id: string): Promise<void>;
  /**
   * Reserves the next response, based on the current conversation. Throws when that fails.
   * @param limit output tokens that the request itself allows, if any
   */
  ready(limit?: number): Promise<void>;
  /**
   * Charges transcriptions that wait, and reserves the next response again. Call it after the event that `done` or
   * `transcribed` charged was sent: when this fails, the client has received what it paid for.
   * @param rated the next response counts against the rate limit
   */
  renew(rated: boolean): Promise<void>;
  /** Sets the client's latest limit for the whole session; undefined for none. */
  limit(output: number | undefined): void;
  /** Records input of the client. Raises the reservation; throws when that fails. */
  input(part: InputPart): Promise<void>;
  output(id: string, part: { text: string } | { bytes: number }): void;
  /** Charges a response. */
  done(id: string, usage: Usage | undefined, outcome: EndedCall["outcome"]): Promise<void>;
  /**
   * Charges a transcription of the user's speech by another model: at once, or with the response in progress.
   * A session thus never reserves more at a time than for its responses. Returns whether the reservation of the
   * next response was used: then `renew` must follow.
   */
  transcribed(item: string, usage: Usage | undefined, text: string): Promise<boolean>;
  /** Records the text of a running transcription. Charged by our count if its end never arrives. */
  transcribing(item: string, text: string): void;
  /** Discards a transcription that failed. */
  untranscribed(item: string): void;
  /** Whether responses are in progress. */
  busy(): boolean;
  /** Whether anything in progress is to be charged. */
  owes(): boolean;
  /** Charges what was delivered, releases the rest, and writes the session's own log row. Never throws. */
  close(outcome: EndedCall["outcome"]): Promise<void>;
}

/** Maximum billable limit. */
const MOST_TOKENS = 1_000_000_000;

/** An image has up to 1,640 tokens and is counted as text. */
const CHARACTERS_PER_IMAGE = 4 * 1_640;

interface Count {
  tally: CharacterCount;
  /** Seconds of audio. */
  sound: number;
}

interface Turn {
  bill: CallBill;
  routed: RoutedCall;
  output: Count;
  /** Input received before the response began, which is part of its input. */
  inputBefore: Count;
}

interface BilledSession {
  readonly routed: RoutedCall;
  /** The bill of the session's call. Its reservation is for the first response. */
  readonly first: CallBill;
  admit(call: ReceivedCall): Promise<ReceivedCall>;
}

export function openBill(services: RelayServices, session: BilledSession): RealtimeBill {
  const { target } = session.routed;
  const call = session.routed.planned.received;
  const turns = new Map<string, Turn>();
  let spare: Turn | undefined = newTurn(session.first, session.routed);
  let holding: Promise<Turn> | undefined;
  /** Charges of transcriptions, one after the other. */
  let paying: Promise<void> = Promise.resolve();
  let number = 0;
  let closed = false;
  /** Tokens of the conversation by the provider's last report, and the input since then. */
  let context = { text: 0, sound: 0 };
  let pending = nothing();
  /** Seconds of audio since the last recording. */
  let recording = 0;
  const transcriptions = new Map<string, Count>();
  const owed: { usage: Usage; at: PricedTarget }[] = [];
  let facts: SessionFacts = {
    maxOutput: undefined,
    inputBytesPerSecond: 48_000,
    outputBytesPerSecond: 48_000,
    transcriber: undefined,
  };

  /** The client's last limit, which the provider has not confirmed yet. */
  let wanted: number | undefined;

  const nextId = () => `${call.requestId}-${(number += 1)}`;
  const read = () => ({
    text: context.text + tokensOf(pending.tally),
    sound: context.sound + Math.ceil(pending.sound * AUDIO_INPUT_TOKENS_PER_SECOND),
  });

  const longest = longestOutput(target.upstreamModel);
  const mostOutput = (limit: number) =>
    Math.min(MOST_TOKENS, Math.max(longest, limit, wanted ?? 0, facts.maxOutput ?? 0));
  const costOf = (estimate: Usage) => computeBill(target.price, target.groupRatio, estimate, 1).points;

  async function reserveNext(rated: boolean, limit: number): Promise<Turn> {
    const estimate = estimateOf(read(), mostOutput(limit));
    const requested = { ...call, requestId: nextId(), startedAt: now(), estimate };
    return reserve(rated ? await session.admit(requested) : unrated(requested), target, costOf(estimate));
  }

  /** Raises a reservation. On failure, the reservation is gone. */
  async function raise({ bill, routed }: Turn, limit: number): Promise<Turn> {
    const estimate = estimateOf(read(), mostOutput(limit));
    const planned = {
      ...routed.planned,
      plan: { ...routed.planned.plan, estimate, worstCase: costOf(estimate) },
    };
    try {
      await bill.raise(planned);
    } catch (error) {
      bill.refuse(error);
      throw error;
    }
    return newTurn(bill, { ...routed, planned });
  }

  async function reserve(received: ReceivedCall, at: PricedTarget, worstCase: bigint): Promise<Turn> {
    const bill = new CallBill(services, received);
    const plan = { ...session.routed.planned.plan, estimate: received.estimate, worstCase };
    const routed = { planned: { received, model: received.model, plan }, target: at, startedAt: now() };
    bill.route(routed);
    try {
      await bill.reserve(routed.planned);
    } catch (error) {
      bill.refuse(error);
      throw error;
    }
    return newTurn(bill, routed);
  }

  async function take(): Promise<Turn> {
    await ready();
    const turn = spare;
    if (turn === undefined) throw internalError(new Error("A response has no reservation."));
    spare = undefined;
    return turn;
  }

  /** Runs one reservation at a time, for any number of callers. */
  async function ready(rated = true, limit = 0): Promise<void> {
    // A key that may have one call at a time cannot reserve a response beside a transcription.
    await paying.catch(() => {});
    while (spare === undefined || !covers(spare.routed.planned.plan.estimate, read(), mostOutput(limit))) {
      if (holding === undefined) {
        const turn = spare;
        spare = undefined;
        holding = (turn === undefined ? reserveNext(rated, limit) : raise(turn, limit)).finally(() => {
          holding = undefined;
        });
      }
      const turn = await holding;
      if (closed) return giveBack(turn, "complete");
      spare ??= turn;
    }
  }

  /** Records a transcription to charge, at its own model's price. */
  function owe(usage: Usage): void {
    const billedModel = facts.transcriber ?? target.billedModel;
    const price = findPrice(services.prices.table(), billedModel);
    owed.push({ usage, at: price === undefined ? target : { ...target, billedModel, price } });
  }

  function counted({ output }: Turn): Usage {
    const { text, sound } = read();
    const spoken = Math.ceil(output.sound * AUDIO_OUTPUT_TOKENS_PER_SECOND);
    return {
      input: text + sound,
      ...(sound > 0 ? { audioInput: sound } : {}),
      output: tokensOf(output.tally) + spoken,
      ...(spoken > 0 ? { audioOutput: spoken } : {}),
    };
  }

  async function charge(
    turn: Turn,
    outcome: EndedCall["outcome"],
    reported: Usage | undefined,
  ): Promise<void> {
    const { output } = turn;
    const silent = output.sound === 0 && output.tally.narrow === 0 && output.tally.wide === 0;
    // Neither usage nor output: the provider did not respond, so the call is free.
    const usage = reported ?? (silent && outcome !== "client-left" ? NOTHING_USED : undefined);
    await turn.bill.settle({
      routed: turn.routed,
      outcome,
      reported: usage,
      final: reported !== undefined,
      delivered: output.tally,
      ...(usage === undefined ? { counted: counted(turn) } : {}),
    });
  }

  /** Charges the recorded transcriptions, with the given reservation or new ones. */
  function payOwed(reserved?: Turn): Promise<void> {
    paying = paying.catch(() => {}).then(() => pay(reserved));
    return paying;
  }

  async function pay(reserved?: Turn): Promise<void> {
    let turn = reserved;
    for (let next = owed.shift(); next !== undefined; next = owed.shift()) {
      const { usage, at } = next;
      const { points } = computeBill(at.price, at.groupRatio, usage, 1);
      const requested = { ...call, requestId: nextId(), startedAt: now(), estimate: usage };
      turn ??= await reserve(unrated(requested), at, points);
      const { bill } = turn;
      const routed = { ...turn.routed, target: at };
      turn = undefined;
      bill.beginAt(now());
      await bill.settle({ routed, outcome: "complete", reported: usage, delivered: nothing().tally });
    }
  }

  async function giveBack({ bill, routed }: Turn, outcome: EndedCall["outcome"]): Promise<void> {
    bill.beginAt(call.startedAt);
    await bill.settle({ routed, outcome, reported: NOTHING_USED, delivered: nothing().tally });
  }

  return {
    get facts() {
      return facts;
    },
    set facts(output) {
      facts = output;
    },
    async begin(id) {
      if (turns.has(id)) return;
      const turn = await take();
      turn.bill.beginAt(now());
      turn.inputBefore = { tally: { ...pending.tally }, sound: pending.sound };
      turns.set(id, turn);
    },
    ready: (limit) => ready(true, limit),
    async renew(rated) {
      await payOwed();
      await ready(rated);
    },
    limit(output) {
      wanted = output;
    },
    async input({ text, bytes, images }) {
      addTo(pending.tally, text);
      pending.tally.narrow += images * CHARACTERS_PER_IMAGE;
      pending.sound += bytes / facts.inputBytesPerSecond;
      recording += bytes / facts.inputBytesPerSecond;
      if (spare !== undefined) await ready(false);
    },
    output(id, part) {
      const turn = turns.get(id);
      if (turn === undefined) return;
      turn.bill.attempts.receiveByte();
      turn.bill.deliver({
        progress: () => ({ reported: undefined, delivered: turn.output.tally, counted: counted(turn) }),
      });
      if ("text" in part) addTo(turn.output.tally, part.text);
      else turn.output.sound += part.bytes / facts.outputBytesPerSecond;
    },
    async done(id, usage, outcome) {
      const turn = turns.get(id) ?? (await take());
      turns.delete(id);
      await charge(turn, outcome, usage);
      const known = usage ?? counted(turn);
      const sound = (known.audioInput ?? 0) + (known.audioOutput ?? 0);
      context = { text: known.input + known.output - sound, sound };
      // Input received during the response belongs to the next one.
      pending = without(pending, turn.inputBefore);
    },
    transcribing(item, text) {
      // Without a transcriber, recordings are only for the model.
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
      const output = nothing().tally;
      addTo(output, text);
      owe(usage ?? transcriptUsage({ ...count, tally: output }));
      const turn = spare;
      if (turn === undefined && turns.size > 0) return false;
      spare = undefined;
      await payOwed(turn);
      return true;
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

/** Returns the call without its rate limit: it belongs to an admitted session. */
function unrated(call: ReceivedCall): ReceivedCall {
  const { used: _used, ...rest } = call;
  return rest;
}

const NOTHING_USED: Usage = { input: 0, output: 0 };

/** Returns our own count. */
function transcriptUsage({ tally, sound }: Count): Usage {
  const input = Math.ceil(sound * AUDIO_INPUT_TOKENS_PER_SECOND);
  return { input, output: tokensOf(tally), ...(input > 0 ? { audioInput: input } : {}) };
}

function newTurn(bill: CallBill, routed: RoutedCall): Turn {
  return { bill, routed, output: nothing(), inputBefore: nothing() };
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

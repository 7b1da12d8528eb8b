/**
 * A response with web searches of the gateway: several responses of the provider (rounds) become one for the client. A round
 * that calls the search is not shown as such: the client gets the search and its result in its own form, and the model gets
 * the result and continues.
 */
import type { ChatEvent, ChatRequest, ClientDialectId, Message, Part, Usage } from "#dialects/ir.ts";
import { eventWithOrigin, type ProofOrigin } from "#dialects/reasoning/proof.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { citationOf, gatewaySearch, searchParts, type ShownSearch } from "#dialects/tools/search-forms.ts";
import { sumUsage } from "#dialects/usage/tokens.ts";
import { textTokens } from "#domain/pricing/estimate.ts";
import { mostGrowth } from "#domain/pricing/search-rounds.ts";
import type { SearchOutcome } from "#domain/web-search/web-search.ts";
import { LinkFinder } from "./link-finder.ts";
import { queryIn, resultText, type SearchOffer } from "./search-offer.ts";

export interface SearchTurnParts {
  readonly client: ClientDialectId;
  readonly offer: SearchOffer;
  /** Origin of the proofs of thinking in the provider's responses. */
  readonly origin: ProofOrigin | undefined;
  /** Tokens of the request, by the gateway's count. */
  readonly input: number;
  /** Tokens that all rounds together may write. */
  readonly output: number;
  /** Identifies the call; parts of the ids of its searches. */
  readonly callId: string;
  search(query: string): Promise<SearchOutcome>;
}

type CallPart = Extract<Part, { type: "tool-call" }>;
type StopEvent = Extract<ChatEvent, { type: "stop" }>;
type FinishEvent = Extract<ChatEvent, { type: "finish" }>;

/** Below this number of tokens, a further round has no room for an answer. */
const LEAST_OUTPUT = 256;

export class SearchTurn {
  readonly #parts: SearchTurnParts;
  readonly #links: LinkFinder;
  #round = this.#newRound();
  #rounds = 0;
  #hasStarted = false;
  /** Number of the client's next part, and that of the first part of the round. */
  #next = 0;
  #offset = 0;
  /** What the rounds have added to the conversation. */
  readonly #messages: Message[] = [];
  /** Sum of the ended rounds; undefined when one of them reported no usage. */
  #reported: Usage | undefined = { input: 0, output: 0 };
  /** Input of the ended rounds by the gateway's count, and that of the next one. */
  #counted = 0;
  #input: number;
  #growth = 0;
  #isAsking = false;
  #searches = 0;
  #charged = 0;
  readonly #queries: string[] = [];
  #hasCited = false;
  /** The end of the last round, while searches are due. */
  #ended: { stop: StopEvent | undefined; finish: FinishEvent } | undefined;
  #isOver = false;

  constructor(parts: SearchTurnParts) {
    this.#parts = parts;
    this.#links = new LinkFinder();
    this.#input = parts.input;
  }

  #newRound() {
    return {
      collector: createCollector(),
      calls: new Map<number, CallPart>(),
      hasOtherCalls: false,
      hasMore: false,
      stop: undefined as StopEvent | undefined,
    };
  }

  /** The round has ended, and its searches wait to be run. */
  get isDue(): boolean {
    return this.#ended !== undefined && !this.#isOver;
  }

  /** The response for the client is complete. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** The provider has accepted the request of the next round. */
  beginRound(): void {
    this.#isAsking = true;
  }

  /** Returns the events for the client. @param events of the provider's response */
  take(events: readonly ChatEvent[]): ChatEvent[] {
    return events.flatMap((event) => this.#event(event));
  }

  #event(event: ChatEvent): ChatEvent[] {
    if ("choice" in event && event.choice !== 0) return [];
    const round = this.#round;
    round.collector.add(eventWithOrigin(event, this.#parts.origin));
    switch (event.type) {
      case "error":
        return [event];
      case "start": {
        if (this.#hasStarted) return [];
        this.#hasStarted = true;
        return [event];
      }
      case "stop":
        round.stop = event;
        return [];
      case "finish":
        return this.#endRound(event);
      case "tool-call": {
        if (event.name === this.#parts.offer.name) {
          round.calls.set(event.part, { type: "tool-call", id: event.id, name: event.name, input: "" });
          return [];
        }
        round.hasOtherCalls = true;
        return [this.#shown(event)];
      }
      case "tool-input": {
        const search = round.calls.get(event.part);
        if (search === undefined) return [this.#shown(event)];
        search.input += event.text;
        return [];
      }
      case "text": {
        const shown = this.#shown(event);
        return [shown, ...this.#citationsIn(shown.part, event.text)];
      }
      default:
        return [this.#shown(event)];
    }
  }

  /** Returns the event with the number of its part in the whole response. */
  #shown<Event extends Extract<ChatEvent, { part: number }>>(event: Event): Event {
    const part = event.part + this.#offset;
    this.#next = Math.max(this.#next, part + 1);
    return part === event.part ? event : { ...event, part };
  }

  #citationsIn(part: number, text: string): ChatEvent[] {
    const { client } = this.#parts;
    const links = this.#links.add(part, text);
    if (links.length > 0) this.#hasCited = true;
    return links.map(({ page, ...link }) => ({
      type: "citation",
      choice: 0,
      part,
      citation: citationOf(page, this.#queries, client, link),
    }));
  }

  #endRound(finish: FinishEvent): ChatEvent[] {
    const { calls, stop, hasOtherCalls } = this.#round;
    const { usage } = finish;
    const isKnown = usage !== undefined && usage.missing === undefined;
    this.#reported = isKnown && this.#reported !== undefined ? sumUsage(this.#reported, usage) : undefined;
    this.#counted += this.#input;
    this.#isAsking = false;
    this.#rounds += 1;
    this.#ended = { stop, finish };
    if (calls.size > 0 && (this.#rounds <= this.#parts.offer.uses || hasOtherCalls)) return [];
    // The model calls the search although none is left: there is no one to answer the call.
    return this.#finish(calls.size > 0 && !hasOtherCalls ? "stop" : undefined);
  }

  /** Returns the events that complete the response. @param reason instead of the provider's */
  #finish(reason: StopEvent["reason"] | undefined): ChatEvent[] {
    const { stop, finish } = this.#ended ?? { stop: undefined, finish: { type: "finish" as const } };
    this.#isOver = true;
    const { usage: _last, ...rest } = finish;
    const usage = this.reported();
    const shown: StopEvent | undefined = reason === undefined ? stop : { type: "stop", choice: 0, reason };
    return [
      ...this.#metadata(),
      ...(shown === undefined ? [] : [shown]),
      { ...rest, ...(usage !== undefined && { usage }) },
    ];
  }

  /** Gemini's clients expect the sources of every response with searches, also where the text has no link. */
  #metadata(): ChatEvent[] {
    const { client } = this.#parts;
    if (client !== "gemini" || this.#hasCited) return [];
    return this.#links.pages().map((page) => ({
      type: "citation",
      choice: 0,
      part: Math.max(0, this.#next - 1),
      citation: citationOf(page, this.#queries, client),
    }));
  }

  /** Runs the searches of the round that has ended. Returns their events for the client. */
  async search(): Promise<ChatEvent[]> {
    const { calls, collector, hasOtherCalls } = this.#round;
    const shown = await Promise.all([...calls.values()].map((call) => this.#run(call)));
    const { answer } = collector;
    const parts = answer !== undefined && "choices" in answer ? (answer.choices[0]?.parts ?? []) : [];
    const results = shown.map<Part>(({ call, search }) => ({
      type: "tool-result",
      callId: call.id,
      name: call.name,
      parts: [{ type: "text", text: resultText(search.result) }],
      ...("error" in search.result && { isError: true }),
    }));
    this.#messages.push({ role: "assistant", parts }, { role: "tool", parts: results });
    this.#growth += tokensIn(parts) + tokensIn(results);
    this.#input = this.#parts.input + this.#growth;
    const events = shown.flatMap(({ search }) =>
      searchParts(this.#parts.client, search).flatMap<ChatEvent>((part) =>
        part.type === "foreign"
          ? [{ type: "foreign", choice: 0, part: this.#next++, extra: part.extra }]
          : [],
      ),
    );
    this.#offset = this.#next;
    // The client must answer its own calls first. Its next request contains the results.
    const reason = hasOtherCalls ? "tool-calls" : this.#limitReached();
    if (reason !== undefined) return [...events, ...this.#finish(reason)];
    this.#ended = undefined;
    this.#round = this.#newRound();
    return events;
  }

  /** Returns why no further round fits into what is reserved; undefined while one does. */
  #limitReached(): StopEvent["reason"] | undefined {
    const { offer, input } = this.#parts;
    if (this.#outputLeft() < LEAST_OUTPUT) return "length";
    const most = input * (this.#rounds + 1) + mostGrowth(offer.uses);
    return this.#counted + this.#input > most ? "pause" : undefined;
  }

  #outputLeft(): number {
    const written = this.#reported?.output ?? this.#growth;
    return this.#parts.output - written;
  }

  async #run(call: CallPart): Promise<{ call: CallPart; search: ShownSearch }> {
    const { offer, callId } = this.#parts;
    const number = (this.#searches += 1);
    const query = queryIn(call.input) ?? "";
    const outcome: SearchOutcome | { failure: "max_uses_exceeded" } =
      number > offer.uses ? { failure: "max_uses_exceeded" } : await this.#parts.search(query);
    const result = "failure" in outcome ? { error: outcome.failure } : outcome;
    if ("pages" in result) {
      this.#charged += 1;
      this.#queries.push(query);
      this.#links.know(result.pages);
    }
    return { call, search: { id: `${callId}${number}`, query, result } };
  }

  /** Returns the request of the next round. @param first the request of the first round, with the function */
  nextRequest(first: ChatRequest): ChatRequest {
    const { tools, toolChoice, reasoning, maxOutputTokens } = first;
    const left = this.#outputLeft();
    const written = this.#parts.output - left;
    const limit = Math.min(
      left,
      maxOutputTokens === undefined ? left : Math.max(1, maxOutputTokens - written),
    );
    const isForced = toolChoice?.type === "tool" || toolChoice?.type === "required";
    const isLast = this.#searches >= this.#parts.offer.uses && tools?.length === 1;
    const { budgetTokens } = reasoning ?? {};
    return {
      ...first,
      messages: [...first.messages, ...this.#messages],
      maxOutputTokens: limit,
      ...(isForced && { toolChoice: { type: "auto" } }),
      ...(isLast && { toolChoice: { type: "none" } }),
      ...(budgetTokens !== undefined &&
        budgetTokens >= limit && { reasoning: { ...reasoning, budgetTokens: Math.floor(limit / 2) } }),
    };
  }

  /** Returns the usage so far; undefined when a round reported none. */
  reported(): Usage | undefined {
    if (this.#reported === undefined || this.#rounds === 0) return undefined;
    const { input } = this.#reported;
    // Its provider has read the request of a round that is not complete.
    const usage = this.#isAsking ? { ...this.#reported, input: input + this.#input } : this.#reported;
    return this.#withSearches(usage);
  }

  /** Returns the usage so far by the gateway's count. @param output tokens that the client received */
  counted(output: number): Usage {
    const isAsking = this.#isAsking || this.#rounds === 0;
    return this.#withSearches({ input: this.#counted + (isAsking ? this.#input : 0), output });
  }

  #withSearches(usage: Usage): Usage {
    if (this.#charged === 0) return usage;
    return { ...usage, toolCalls: { ...usage.toolCalls, [gatewaySearch]: this.#charged } };
  }
}

function tokensIn(parts: readonly Part[]): number {
  return textTokens(JSON.stringify(parts));
}

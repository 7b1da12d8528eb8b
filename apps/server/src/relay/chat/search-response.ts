/** Responses with web searches of the gateway: the rounds become one body, or one stream. */
import type { StreamDecoder } from "#dialects/dialect.ts";
import type { ChatEvent, UpstreamError, Usage } from "#dialects/ir.ts";
import { eventsOf } from "#dialects/stream/answer-events.ts";
import { createCollector } from "#dialects/stream/collected-answer.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { type ChatResponseSource, encodeWholeResponse, type ReadBody, readAnswer } from "./body.ts";
import type { ChatCall } from "./chat-call.ts";
import { type Pipe, translatingPipe } from "./pipes.ts";
import type { RoundsInput, SearchRounds } from "./search-rounds.ts";
import { beginRound, type FurtherRounds, openPipe, type StreamResult } from "./stream.ts";

/** Reads all rounds of a response that is not streamed. Failed searches are results, a failed round fails the call. */
export async function readSearchBody(
  call: ChatCall,
  came: ChatResponseSource,
  { turn, send }: SearchRounds,
): Promise<ReadBody | { error: UpstreamError }> {
  const collector = createCollector();
  const collect = (events: readonly ChatEvent[]) => events.forEach((event) => collector.add(event));
  let source = came;
  while (true) {
    const answer = await readAnswer(source, call.memory);
    if ("error" in answer) return answer;
    collect(turn.take(eventsOf(answer)));
    if (turn.isDue) collect(await turn.search());
    if (turn.isOver) break;
    const next = await send();
    if ("error" in next) return next;
    source = next;
  }
  const { answer } = collector;
  if (answer === undefined || "error" in answer)
    return { error: answer?.error ?? { kind: "server", message: "The rounds have no end.", status: 200 } };
  const read = await encodeWholeResponse(call, came, answer);
  return "error" in read ? read : { ...read, counted: turn.counted(tokensOf(read.tally)) };
}

/** Opens a stream over all rounds. */
export async function openSearchStream(
  call: ChatCall,
  came: ChatResponseSource,
  { routed, bill }: Pick<RoundsInput, "routed" | "bill">,
  rounds: SearchRounds,
): Promise<StreamResult> {
  const began = await beginRound(came, call.memory);
  if ("error" in began) return began;
  const pipe = new SearchPipe(call, came, began.decoder, rounds);
  return openPipe({ call, routed, bill, pipe, status: came.response.status, rounds: pipe }, began.response);
}

const ended: StreamDecoder = { frame: () => [], end: () => [] };

/** Connects the rounds to the client's stream, like one response. */
class SearchPipe implements Pipe, FurtherRounds {
  broken?: unknown;
  readonly tally: Pipe["tally"];
  readonly #call: ChatCall;
  readonly #rounds: SearchRounds;
  readonly #pipe: Pipe;
  #source: ChatResponseSource;
  /** Decoder of the current round. */
  #decoder: StreamDecoder;
  /** Events of searches for the client. */
  #searched: ChatEvent[] = [];
  #isClosing = false;
  #error: UpstreamError | undefined;

  constructor(call: ChatCall, came: ChatResponseSource, decoder: StreamDecoder, rounds: SearchRounds) {
    this.#call = call;
    this.#rounds = rounds;
    this.#source = came;
    this.#decoder = decoder;
    const { turn } = rounds;
    this.#pipe = translatingPipe(call, came, {
      frame: (frame) => turn.take(this.#decoder.frame(frame)),
      end: () => [...turn.take(this.#decoder.end()), ...this.#searched.splice(0)],
    });
    this.tally = this.#pipe.tally;
  }

  frame(raw: Parameters<Pipe["frame"]>[0]): string {
    this.#isClosing ||= this.#source.upstream.isLast(raw.frame);
    return this.#pipe.frame(raw);
  }

  end(): string {
    return this.#pipe.end();
  }

  pending(): string {
    return this.#pipe.pending();
  }

  complete(): boolean {
    return this.#pipe.complete();
  }

  closing(): boolean {
    return this.#isClosing;
  }

  usage(): Usage | undefined {
    return this.#pipe.usage() ?? this.#rounds.turn.reported();
  }

  counted(): Usage {
    return this.#rounds.turn.counted(tokensOf(this.tally));
  }

  output(): ReturnType<Pipe["output"]> {
    return this.#pipe.output();
  }

  error(): UpstreamError | undefined {
    return this.#error ?? this.#pipe.error();
  }

  isDue(): boolean {
    return this.#rounds.turn.isDue;
  }

  isOver(): boolean {
    return this.#rounds.turn.isOver;
  }

  async prepare(): Promise<string> {
    this.#decoder = ended;
    this.#searched = await this.#rounds.turn.search();
    return this.#pipe.end();
  }

  async send(): ReturnType<FurtherRounds["send"]> {
    const next = await this.#rounds.send();
    const began = "error" in next ? next : await beginRound(next, this.#call.memory);
    if ("error" in began) {
      this.#error = began.error;
      return undefined;
    }
    if ("response" in next) this.#source = next;
    this.#isClosing = false;
    this.#decoder = began.decoder;
    return began.response ?? "whole";
  }
}

import { describe, expect, it } from "vitest";
import type { Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, Part, UpstreamError, Usage } from "#dialects/ir.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { createFrameSplitter, type RawFrame } from "#dialects/stream/sse.ts";
import { type RequestShape, dialectsFor, type Provider } from "./provider.ts";
import {
  type Proof,
  proofOf,
  recordedFiles,
  recordedProviders,
  recording,
  type Expected,
  unrecorded,
} from "./recordings.fixture.ts";
import { refusal } from "./refusal.ts";
import { openProviders } from "./registry.ts";
import { taskWires } from "./wires/tasks.ts";

type Sample = Proof["answers"][string] | Proof["streams"][string] | Proof["errors"][string];

const providers = [...openProviders().values()];
const providerNames = recordedProviders();

function providerOf(providerName: string): Provider {
  const provider = providers.find(({ id }) => id === providerName);
  if (provider === undefined) throw new Error(`There is no provider ${providerName}`);
  return provider;
}

function upstreamOf(provider: Provider, sample: Sample): Upstream {
  const model = sample.model ?? provider.testModel;
  const call: RequestShape = { model, stream: false, other: "", plugin: sample.plugin ?? {} };
  if (sample.dialect !== undefined) {
    expect(dialectsFor(provider, call)).toContain(sample.dialect);
    return dialects[sample.dialect];
  }
  return provider.wire?.(call) ?? dialects[dialectsFor(provider, call)[0]];
}

/** Returns the usage; zero counts may be present or absent. */
function reported(usage: Usage | undefined): Expected["usage"] {
  if (usage === undefined) return undefined;
  const counts = Object.entries(usage).filter(
    ([kind, count]) => kind === "toolCalls" || (typeof count === "number" && count > 0),
  );
  return { input: usage.input, output: usage.output, ...Object.fromEntries(counts) };
}

interface Read {
  text: string;
  reasoning: string;
  calls: Map<string | number, { name: string; input: string }>;
  cited: string[];
  media: string[];
}

const nothing = (): Read => ({ text: "", reasoning: "", calls: new Map(), cited: [], media: [] });

function outputOf({ text, reasoning, calls, cited, media }: Read, finish: string, usage?: Usage): Expected {
  const counted = reported(usage);
  return {
    text,
    ...(reasoning !== "" && { reasoning }),
    ...(calls.size > 0 && {
      calls: [...calls.values()].map(({ name, input }) => ({ name, input: parseJson(input || "{}") })),
    }),
    ...(cited.length > 0 && { cited }),
    ...(media.length > 0 && { media }),
    finish,
    ...(counted !== undefined && { usage: counted }),
  };
}

function take(read: Read, part: Part): void {
  if (part.type === "text") {
    read.text += part.text;
    read.cited.push(...(part.citations ?? []).map(({ url }) => url ?? ""));
  }
  if (part.type === "refusal") read.text += part.text;
  if (part.type === "reasoning") read.reasoning += part.text;
  if (part.type === "tool-call") read.calls.set(part.id, part);
  if (part.type === "image" || part.type === "audio") read.media.push(part.type);
}

function readWhole(upstream: Upstream, text: string): Expected {
  const answer = upstream.decodeResponse((upstream.read ?? parseJson)(text));
  const [choice] = answer.choices;
  const read = nothing();
  for (const part of choice?.parts ?? []) take(read, part);
  return outputOf(read, choice?.finish ?? "", answer.usage);
}

function framesOf(provider: Provider, bytes: Buffer, size: number): RawFrame[] {
  const splitter = createFrameSplitter();
  const unframe = provider.unframe?.open();
  const frames: RawFrame[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const piece = bytes.subarray(at, at + size);
    frames.push(...splitter.push(unframe?.(piece) ?? piece));
  }
  return [...frames, ...splitter.flush()];
}

function readEvents(events: ChatEvent[]): Expected | UpstreamError {
  const read = nothing();
  let finish = "";
  for (const event of events) {
    if (event.type === "error") return event.error;
    if ("choice" in event && event.choice !== 0) continue;
    if (event.type === "text" || event.type === "refusal") read.text += event.text;
    if (event.type === "reasoning") read.reasoning += event.text;
    if (event.type === "tool-call") read.calls.set(event.part, { name: event.name, input: "" });
    if (event.type === "tool-input") read.calls.get(event.part)!.input += event.text;
    if (event.type === "citation") read.cited.push(event.citation.url ?? "");
    if (event.type === "media") take(read, event.media);
    if (event.type === "stop") finish = event.reason;
  }
  const last = events.at(-1);
  return outputOf(read, finish, last?.type === "finish" ? last.usage : undefined);
}

function table<T>(
  of: (proof: Proof) => Record<string, T>,
): Array<[name: string, provider: string, sample: T]> {
  return providerNames.flatMap((provider) =>
    Object.entries(of(proofOf(provider))).map<[string, string, T]>(([file, sample]) => [
      `${provider}/${file}`,
      provider,
      sample,
    ]),
  );
}

const text = (name: string): string => {
  const [provider = "", file = ""] = name.split("/");
  return recording(provider, file);
};

describe("the recordings", () => {
  const chats = providers.filter(({ endpoints }) => endpoints.includes("chat"));

  it.each(chats.map(({ id }) => id))("contain a response, a stream and an error of %s", (id) => {
    const proof = providerNames.includes(id) ? proofOf(id) : undefined;
    for (const what of ["answers", "streams", "errors"] as const) {
      const isRecorded = Object.keys(proof?.[what] ?? {}).length > 0;
      // A sample or the reason why it is missing, never both.
      expect({ what, isRecorded }).toEqual({ what, isRecorded: unrecorded[id]?.[what] === undefined });
    }
  });

  it.each(providerNames)("of %s belong to an existing provider and are all used", (provider) => {
    const { answers, streams, errors, adapted, plain, tasks } = proofOf(providerOf(provider).id);
    const proven = [answers, streams, errors, adapted, plain, tasks].flatMap((each) => Object.keys(each));
    expect(proven.toSorted()).toEqual(recordedFiles(provider).toSorted());
  });
});

describe("a complete response", () => {
  it.each(table(({ answers }) => answers))("%s is decoded to its content", (name, provider, sample) => {
    const upstream = upstreamOf(providerOf(provider), sample);
    expect(readWhole(upstream, text(name))).toEqual(sample.reads);
    if (upstream.id !== "own")
      expect(reported(upstream.skimResponse(text(name)).usage)).toEqual(sample.reads.usage);
  });

  it.each(table(({ adapted }) => adapted))(
    "%s of another path becomes OpenAI's format",
    (name, providerName, sample) => {
      const provider = providerOf(providerName);
      const answer = provider.adapters?.[sample.path]?.answer?.(text(name), Date.UTC(2026, 10, 21));
      if (answer === undefined || "error" in answer) {
        expect(refusal(provider, answer!.error)).toMatchObject(sample.fails!);
        return;
      }
      expect(reported(answer.usage)).toEqual(sample.usage);
      if (sample.reads !== undefined) expect(parseJson(answer.body.toString())).toEqual(sample.reads);
    },
  );
});

describe("a stream", () => {
  it.each(table(({ streams }) => streams))(
    "%s is decoded to its content at any chunk boundaries",
    (name, providerName, sample) => {
      const provider = providerOf(providerName);
      const upstream = upstreamOf(provider, sample);
      const bytes = Buffer.from(text(name), name.endsWith(".base64") ? "base64" : "utf8");
      for (const size of [7, bytes.length]) {
        const frames = framesOf(provider, bytes, size).map(({ frame }) => frame);
        const decoder = upstream.decodeStream();
        const read = readEvents([...frames.flatMap((frame) => decoder.frame(frame)), ...decoder.end()]);
        const skimmer = upstream.id === "own" ? undefined : upstream.skim();
        for (const frame of frames) skimmer?.frame(frame);
        if (sample.fails !== undefined) {
          expect(refusal(provider, read as UpstreamError)).toMatchObject(sample.fails);
          if (skimmer) expect(refusal(provider, skimmer.error!)).toMatchObject(sample.fails);
          continue;
        }
        expect(read).toEqual(sample.reads);
        if (skimmer === undefined) continue;
        expect({ complete: skimmer.complete, error: skimmer.error }).toEqual({ complete: true });
        expect(reported(skimmer.usage)).toEqual(sample.reads?.usage);
      }
    },
  );
});

describe("an error", () => {
  it.each(table(({ errors }) => errors))("%s is decoded to its meaning", (name, providerName, sample) => {
    const provider = providerOf(providerName);
    const { status, headers } = sample;
    const error = upstreamOf(provider, sample).decodeError(status, text(name), headers);
    expect(refusal(provider, error, headers)).toMatchObject(sample.reads);
  });
});

describe("a task", () => {
  it.each(table(({ tasks }) => tasks))("%s is decoded to its state", (name, provider, sample) => {
    const wire = Object.values(taskWires).find(({ platform }) => platform === provider);
    if (wire === undefined) throw new Error(`${provider} does nothing later`);
    const answer = parseJson(text(name));
    if (sample.about === "standing") {
      // Serialized, to compare instants as text.
      const standings = wire.standings(answer).map(({ data: _data, ...standing }) => standing);
      expect(JSON.parse(JSON.stringify(standings))).toEqual(sample.reads);
      return;
    }
    const accepted = wire.accepted(answer as Record<string, unknown>);
    if ("error" in accepted)
      expect(refusal(providerOf(provider), accepted.error)).toMatchObject(sample.fails!);
    else expect(accepted.taskId).toEqual(sample.reads);
  });
});

import { describe, expect, it } from "vitest";
import type { Upstream } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import type { ChatEvent, Part, UpstreamError, Usage } from "#dialects/ir.ts";
import { createFrameSplitter, type RawFrame } from "#dialects/sse.ts";
import { parseJson } from "#dialects/wire.ts";
import { type Call, dialectsFor, type Provider } from "./provider.ts";
import {
  type Proof,
  proofOf,
  recordedFiles,
  recordedVendors,
  recording,
  type Said,
  unrecorded,
} from "./recordings.fixture.ts";
import { refusal } from "./refusal.ts";
import { openProviders } from "./registry.ts";
import { taskWires } from "./wires/tasks.ts";

type Sample = Proof["answers"][string] | Proof["streams"][string] | Proof["errors"][string];

const providers = [...openProviders().values()];
const vendors = recordedVendors();

function providerOf(vendor: string): Provider {
  const provider = providers.find(({ id }) => id === vendor);
  if (provider === undefined) throw new Error(`There is no vendor ${vendor}`);
  return provider;
}

function upstreamOf(provider: Provider, sample: Sample): Upstream {
  const model = sample.model ?? provider.testModel;
  const call: Call = { model, stream: false, other: "", plugin: sample.plugin ?? {} };
  if (sample.dialect !== undefined) {
    expect(dialectsFor(provider, call)).toContain(sample.dialect);
    return dialects[sample.dialect];
  }
  return provider.wire?.(call) ?? dialects[dialectsFor(provider, call)[0]];
}

/** What was counted; kinds that are none may be told or left out. */
function told(usage: Usage | undefined): Said["usage"] {
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

function saidOf({ text, reasoning, calls, cited, media }: Read, finish: string, usage?: Usage): Said {
  const counted = told(usage);
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

function readWhole(upstream: Upstream, text: string): Said {
  const answer = upstream.decodeResponse((upstream.read ?? parseJson)(text));
  const [choice] = answer.choices;
  const read = nothing();
  for (const part of choice?.parts ?? []) take(read, part);
  return saidOf(read, choice?.finish ?? "", answer.usage);
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

function readEvents(events: ChatEvent[]): Said | UpstreamError {
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
  return saidOf(read, finish, last?.type === "finish" ? last.usage : undefined);
}

function table<T>(of: (proof: Proof) => Record<string, T>): Array<[name: string, vendor: string, sample: T]> {
  return vendors.flatMap((vendor) =>
    Object.entries(of(proofOf(vendor))).map<[string, string, T]>(([file, sample]) => [
      `${vendor}/${file}`,
      vendor,
      sample,
    ]),
  );
}

const text = (name: string): string => {
  const [vendor = "", file = ""] = name.split("/");
  return recording(vendor, file);
};

describe("the recordings", () => {
  const chats = providers.filter(({ endpoints }) => endpoints.includes("chat"));

  it.each(chats.map(({ id }) => id))("prove an answer, a stream and an error of %s", (id) => {
    const proof = vendors.includes(id) ? proofOf(id) : undefined;
    for (const what of ["answers", "streams", "errors"] as const) {
      const isRecorded = Object.keys(proof?.[what] ?? {}).length > 0;
      // A sample, or the reason why there is none; never both.
      expect({ what, isRecorded }).toEqual({ what, isRecorded: unrecorded[id]?.[what] === undefined });
    }
  });

  it.each(vendors)("of %s are of a vendor that exists, and each is read as something", (vendor) => {
    const { answers, streams, errors, adapted, plain, tasks } = proofOf(providerOf(vendor).id);
    const proven = [answers, streams, errors, adapted, plain, tasks].flatMap((each) => Object.keys(each));
    expect(proven.toSorted()).toEqual(recordedFiles(vendor).toSorted());
  });
});

describe("a whole answer", () => {
  it.each(table(({ answers }) => answers))("%s says what it says", (name, vendor, sample) => {
    const upstream = upstreamOf(providerOf(vendor), sample);
    expect(readWhole(upstream, text(name))).toEqual(sample.reads);
    if (upstream.id !== "own")
      expect(told(upstream.skimResponse(text(name)).usage)).toEqual(sample.reads.usage);
  });

  it.each(table(({ adapted }) => adapted))("%s of another path becomes OpenAI's", (name, vendor, sample) => {
    const provider = providerOf(vendor);
    const answer = provider.adapters?.[sample.path]?.answer?.(text(name), Date.UTC(2026, 10, 21));
    if (answer === undefined || "error" in answer) {
      expect(refusal(provider, answer!.error)).toMatchObject(sample.fails!);
      return;
    }
    expect(told(answer.usage)).toEqual(sample.usage);
    if (sample.reads !== undefined) expect(parseJson(answer.body.toString())).toEqual(sample.reads);
  });
});

describe("a stream", () => {
  it.each(table(({ streams }) => streams))(
    "%s says what it says, wherever it is cut",
    (name, vendor, sample) => {
      const provider = providerOf(vendor);
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
        expect(told(skimmer.usage)).toEqual(sample.reads?.usage);
      }
    },
  );
});

describe("an error", () => {
  it.each(table(({ errors }) => errors))("%s means what it means", (name, vendor, sample) => {
    const provider = providerOf(vendor);
    const { status, headers } = sample;
    const error = upstreamOf(provider, sample).decodeError(status, text(name), headers);
    expect(refusal(provider, error, headers)).toMatchObject(sample.reads);
  });
});

describe("a task", () => {
  it.each(table(({ tasks }) => tasks))("%s stands as it stands", (name, vendor, sample) => {
    const wire = Object.values(taskWires).find(({ platform }) => platform === vendor);
    if (wire === undefined) throw new Error(`${vendor} does nothing later`);
    const answer = parseJson(text(name));
    if (sample.about === "standing") {
      // Instants as they are written.
      const standings = wire.standings(answer).map(({ data: _told, ...standing }) => standing);
      expect(JSON.parse(JSON.stringify(standings))).toEqual(sample.reads);
      return;
    }
    const accepted = wire.accepted(answer as Record<string, unknown>);
    if ("error" in accepted) expect(refusal(providerOf(vendor), accepted.error)).toMatchObject(sample.fails!);
    else expect(accepted.taskId).toEqual(sample.reads);
  });
});

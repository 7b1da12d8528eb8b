import type { ChatEvent, ChatResponse, Choice, Part, UpstreamError } from "#dialects/ir.ts";

/** Collects a stream into one response, for providers that stream without being requested to. */
export interface Collector {
  add(event: ChatEvent): void;
  /** Undefined until the stream has ended. */
  readonly answer: ChatResponse | { error: UpstreamError } | undefined;
}

interface OpenChoice extends Pick<Choice, "finish" | "finishRaw" | "logprobs"> {
  parts: Map<number, Part>;
}

export function createCollector(): Collector {
  const choices = new Map<number, OpenChoice>();
  let head: Pick<ChatResponse, "id" | "model" | "created"> = { id: "", model: "" };
  let answer: ChatResponse | { error: UpstreamError } | undefined;

  function choiceAt(index: number): OpenChoice {
    const known = choices.get(index) ?? { parts: new Map<number, Part>(), finish: "other" };
    choices.set(index, known);
    return known;
  }

  return {
    add(event) {
      switch (event.type) {
        case "start": {
          const { id, model, created } = event;
          head = { id, model, ...(created !== undefined && { created }) };
          break;
        }
        case "stop": {
          const choice = choiceAt(event.choice);
          choice.finish = event.reason;
          if (event.raw !== undefined) choice.finishRaw = event.raw;
          break;
        }
        case "finish": {
          const { type: _finish, ...rest } = event;
          answer = { ...head, choices: [...choices].map(closeChoice), ...rest };
          break;
        }
        case "error":
          answer = { error: event.error };
          break;
        default: {
          const choice = choiceAt(event.choice);
          const part = addEvent(choice.parts.get(event.part), event);
          if (part !== undefined) choice.parts.set(event.part, part);
          if (event.type === "text" && event.logprobs !== undefined)
            choice.logprobs = joinLogprobs(choice.logprobs, event.logprobs);
        }
      }
    },
    get answer() {
      return answer;
    },
  };
}

function closeChoice([index, { parts, ...rest }]: [number, OpenChoice]): Choice {
  const inOrder = [...parts].toSorted(([one], [other]) => one - other).map(([, part]) => part);
  for (const part of inOrder) if (part.type === "tool-call") part.input ||= "{}";
  return { index, parts: inOrder, ...rest };
}

type PartEvent = Exclude<ChatEvent, { type: "start" | "stop" | "finish" | "error" }>;

/** Returns the part after the event, which may be its first one; undefined for an event that adds no part. */
function addEvent(known: Part | undefined, event: PartEvent): Part | undefined {
  switch (event.type) {
    case "text":
    case "refusal":
      if (known?.type === event.type) known.text += event.text;
      return known ?? { type: event.type, text: event.text };
    case "reasoning":
    case "reasoning-proof": {
      const { type, choice: _choice, part: _part, ...fields } = event;
      const before = known?.type === "reasoning" ? known : { type: "reasoning" as const, text: "" };
      if (type === "reasoning-proof") return { ...before, ...fields };
      return { ...before, ...fields, text: before.text + event.text };
    }
    case "tool-call": {
      const { choice: _choice, part: _part, ...call } = event;
      return { ...call, input: "" };
    }
    case "tool-input":
      if (known?.type === "tool-call") known.input += event.text;
      return known;
    case "citation":
      if (known?.type === "text") known.citations = [...(known.citations ?? []), event.citation];
      return known;
    case "media":
      return joinSound(known, event.media);
    case "foreign":
      return { type: "foreign", extra: event.extra };
  }
}

/** Joins sound pieces, which form one part; the transcript arrives beside them. */
function joinSound(known: Part | undefined, media: Part): Part {
  if (known?.type !== "audio" || media.type !== "audio") return media;
  if (known.source.type !== "data" || media.source.type !== "data") return media;
  const pieces = [known.source.data, media.source.data].map((data) => Buffer.from(data, "base64"));
  const transcript = `${known.transcript ?? ""}${media.transcript ?? ""}`;
  return {
    ...known,
    source: { ...known.source, data: Buffer.concat(pieces).toString("base64") },
    ...(transcript !== "" && { transcript }),
  };
}

/** Joins log probabilities, which arrive token by token, into the single list of the IR. */
function joinLogprobs(before: unknown, more: unknown): unknown {
  const [head, tail] = [before, more].map(
    (each) => (each as { content?: unknown[] | null } | null | undefined)?.content ?? [],
  );
  return before === undefined ? more : { ...(before as object), content: [...(head ?? []), ...(tail ?? [])] };
}

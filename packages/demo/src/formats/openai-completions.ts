import type { Answer } from "#answer/answer.ts";
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { BadQuestion, Listener, type Question } from "#answer/question.ts";
import { type ChatWire, type Frame, event } from "./chat-wire.ts";
import { openaiFinishes, openaiUsage } from "./openai-chat.ts";

/** The old wire format of `/v1/completions`: a prompt and its continuation. */
export const openaiCompletions: ChatWire = { read, plain, frames };

interface CompletionQuestion extends Question {
  includeUsage: boolean;
}

function read(body: Json): CompletionQuestion {
  const model = asText(body["model"]);
  if (model === "") throw new BadQuestion("you must provide a model parameter", "model");
  const prompts = typeof body["prompt"] === "string" ? [body["prompt"]] : asList(body["prompt"]);
  const listener = new Listener();
  listener.userTurn();
  // A prompt of token numbers has no words to read.
  listener.userText(prompts.filter((prompt) => typeof prompt === "string").join("\n"));
  return {
    ...listener.request(undefined),
    model,
    stream: body["stream"] === true,
    includeUsage: asObject(body["stream_options"])["include_usage"] === true,
    tools: [],
    toolChoice: "none",
    parallelTools: false,
    json: false,
    thinks: false,
    answers: asNumber(body["n"]) ?? 1,
    maxOutput: asNumber(body["max_tokens"]),
    stop: typeof body["stop"] === "string" ? [body["stop"]] : asList(body["stop"]).map(asText),
  };
}

function head(question: Question, answer: Answer): Json {
  return {
    id: `cmpl-${answer.id}`,
    object: "text_completion",
    created: answer.created,
    model: question.model,
  };
}

function plain(question: Question, answer: Answer): Json {
  return {
    ...head(question, answer),
    choices: Array.from({ length: question.answers }, (_, index) => ({
      text: answer.text.join(""),
      index,
      logprobs: null,
      finish_reason: openaiFinishes[answer.finish],
    })),
    usage: openaiUsage(answer),
  };
}

function* frames(question: Question, answer: Answer): Iterable<Frame> {
  // Only this file's own `read` creates the question.
  const { includeUsage } = question as CompletionQuestion;
  const chunk = (index: number, text: string, finish: string | null): Frame => {
    const choices = [{ text, index, logprobs: null, finish_reason: finish }];
    return { text: event({ ...head(question, answer), choices }), piece: finish === null };
  };
  for (let index = 0; index < question.answers; index += 1) {
    for (const piece of answer.text) yield chunk(index, piece, null);
    yield chunk(index, "", openaiFinishes[answer.finish]);
  }
  if (includeUsage && answer.usage !== undefined) {
    const usage = openaiUsage(answer);
    yield { text: event({ ...head(question, answer), choices: [], usage }), piece: false };
  }
  yield { text: "data: [DONE]\n\n", piece: false };
}

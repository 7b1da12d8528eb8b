import type { Answer } from "#answer/answer.ts";
import { type Json, asObject, asText } from "#answer/json.ts";
import type { Question } from "#answer/question.ts";
import { inputPieces } from "#answer/tool-calls.ts";
import { type ChatWire, type Frame, event } from "./chat-wire.ts";
import { type ResponsesQuestion, readResponses } from "./openai-responses-request.ts";

/** The wire format of `/v1/responses`. */
export const openaiResponses: ChatWire = { read: readResponses, plain, frames };

function usageOf(answer: Answer): Json | null {
  const { usage } = answer;
  if (usage === undefined) return null;
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cached,
      ...(usage.cacheWrite === 0 ? {} : { cache_write_tokens: usage.cacheWrite }),
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  };
}

function statusOf(answer: Answer): "completed" | "incomplete" {
  return answer.finish === "length" || answer.finish === "content-filter" ? "incomplete" : "completed";
}

function response(question: Question, answer: Answer, output: Json[] | null): Json {
  // Only this file's own `read` creates the question.
  const { echo } = question as ResponsesQuestion;
  const status = output === null ? "in_progress" : statusOf(answer);
  const reason = answer.finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: answer.created,
    status,
    background: false,
    error: null,
    incomplete_details: status === "incomplete" ? { reason } : null,
    model: question.model,
    output: output ?? [],
    service_tier: "default",
    ...echo,
    usage: output === null ? null : usageOf(answer),
  };
}

function reasoningItem(question: Question, answer: Answer, done: boolean): Json {
  const { encrypted } = question as ResponsesQuestion;
  return {
    id: `rs_${answer.id}`,
    type: "reasoning",
    summary: done ? [{ type: "summary_text", text: answer.reasoning.join("") }] : [],
    ...(encrypted ? { encrypted_content: done ? answer.signature : "" } : {}),
  };
}

function messageItem(answer: Answer, done: boolean): Json {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    status: done ? statusOf(answer) : "in_progress",
    role: "assistant",
    content: done ? [textPart(answer.text.join(""))] : [],
  };
}

function textPart(text: string): Json {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

type Call = Answer["calls"][number];

/**
 * Returns the input of a call. For a tool with plain text it is the only string in the generated arguments.
 */
function writtenFor(call: Call): string {
  return call.form?.plain === true ? asText(asObject(JSON.parse(call.input))["input"]) : call.input;
}

function callItem(call: Call, done: boolean): Json {
  const plain = call.form?.plain === true;
  const written = done ? writtenFor(call) : "";
  return {
    id: callItemId(call),
    type: plain ? "custom_tool_call" : "function_call",
    status: done ? "completed" : "in_progress",
    call_id: `call_${call.id}`,
    name: call.name,
    ...(call.form?.namespace === undefined ? {} : { namespace: call.form.namespace }),
    ...(plain ? { input: written } : { arguments: written }),
  };
}

function callItemId(call: Call): string {
  return `${call.form?.plain === true ? "ctc" : "fc"}_${call.id}`;
}

function output(question: Question, answer: Answer): Json[] {
  return [
    ...(answer.reasoning.length > 0 ? [reasoningItem(question, answer, true)] : []),
    ...(answer.text.length > 0 ? [messageItem(answer, true)] : []),
    ...answer.calls.map((call) => callItem(call, true)),
  ];
}

function plain(question: Question, answer: Answer): Json {
  return response(question, answer, output(question, answer));
}

function* frames(question: Question, answer: Answer): Iterable<Frame> {
  let sequence = 0;
  const say = (type: string, data: Json, piece = false): Frame => {
    const text = event({ type, sequence_number: sequence, ...data }, type);
    sequence += 1;
    return { text, piece };
  };
  yield say("response.created", { response: response(question, answer, null) });
  yield say("response.in_progress", { response: response(question, answer, null) });
  let index = 0;
  if (answer.reasoning.length > 0) {
    const at = { item_id: `rs_${answer.id}`, output_index: index, summary_index: 0 };
    const text = answer.reasoning.join("");
    const item = (done: boolean) => ({
      output_index: at.output_index,
      item: reasoningItem(question, answer, done),
    });
    yield say("response.output_item.added", item(false));
    const part = (text: string) => ({ ...at, part: { type: "summary_text", text } });
    yield say("response.reasoning_summary_part.added", part(""));
    for (const delta of answer.reasoning) {
      yield say("response.reasoning_summary_text.delta", { ...at, delta }, true);
    }
    yield say("response.reasoning_summary_text.done", { ...at, text });
    yield say("response.reasoning_summary_part.done", part(text));
    yield say("response.output_item.done", item(true));
    index += 1;
  }
  if (answer.text.length > 0) {
    const at = { item_id: `msg_${answer.id}`, output_index: index, content_index: 0 };
    const text = answer.text.join("");
    yield say("response.output_item.added", { output_index: index, item: messageItem(answer, false) });
    yield say("response.content_part.added", { ...at, part: textPart("") });
    for (const delta of answer.text) {
      yield say("response.output_text.delta", { ...at, delta, logprobs: [] }, true);
    }
    yield say("response.output_text.done", { ...at, text, logprobs: [] });
    yield say("response.content_part.done", { ...at, part: textPart(text) });
    yield say("response.output_item.done", { output_index: index, item: messageItem(answer, true) });
    index += 1;
  }
  for (const call of answer.calls) {
    const at = { item_id: callItemId(call), output_index: index };
    const written = writtenFor(call);
    const plain = call.form?.plain === true;
    const kind = plain ? "response.custom_tool_call_input" : "response.function_call_arguments";
    yield say("response.output_item.added", { output_index: index, item: callItem(call, false) });
    for (const delta of inputPieces(written)) yield say(`${kind}.delta`, { ...at, delta }, true);
    yield say(`${kind}.done`, { ...at, ...(plain ? { input: written } : { arguments: written }) });
    yield say("response.output_item.done", { output_index: index, item: callItem(call, true) });
    index += 1;
  }
  yield say(`response.${statusOf(answer)}`, {
    response: response(question, answer, output(question, answer)),
  });
}

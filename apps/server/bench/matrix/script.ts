import { randomBytes } from "node:crypto";
import { type Answer, answer } from "@gateway/demo/answer/answer";
import { piecesOf } from "@gateway/demo/answer/pieces";
import type { OfferedTool, Question } from "@gateway/demo/answer/question";
import { inputPieces } from "@gateway/demo/answer/tool-calls";
import { type History, summaryText, TASK_MARK } from "./history.ts";

/** A tool call as a client's tools want it. */
export interface ScriptedCall {
  /** The name; Responses puts some tools in a group, which translations add before the name. */
  name: string;
  /** The arguments, or a function that makes them of the results of the calls before. */
  input: Record<string, unknown> | ((results: readonly string[]) => Record<string, unknown>);
  /** The call to make when the client does not offer the tool: some choose their tools by the model's name. */
  otherwise?: ScriptedCall;
}

/** What the model does: its calls turn by turn, then its last message. */
export interface Script {
  steps: readonly (readonly ScriptedCall[])[];
  /** Calls of each sub-agent, turn by turn. */
  subtask: readonly (readonly ScriptedCall[])[];
  /** Calls after which the model writes slowly, until its client leaves. */
  slowAfter?: number;
  /** Calls after which the upstream reports that the context is almost full, so that the client compacts it. */
  fullAfter?: number;
  /** Input tokens that it reports then. */
  fullTokens?: number;
  /** Input tokens that it reports for a summary. */
  summaryTokens?: number;
}

export interface Planned {
  answer: Answer;
  slow: boolean;
  /** What this turn was, for the messages of a failed run. */
  kind: string;
}

const reportedFull = new WeakSet<Script>();
/** Calls of the task so far. Some clients request a summary without them. */
const progress = new WeakMap<Script, number>();

export const LAST_WORD = "The task is complete";
const SLOW_PIECES = 120;

/** Returns the model's answer to a request: the next calls of the script, a summary, or plain text. */
export function planAnswer(script: Script, request: Question, history: History): Planned {
  // The demo model would call tools on its own.
  const question = { ...request, tools: [] };
  const plain = (kind: string, say: string): Planned => ({
    answer: answer(question, question.json === false ? { say } : {}),
    slow: false,
    kind,
  });
  const own = history.isTask ? script.steps : history.isSubtask ? script.subtask : undefined;
  if (own === undefined) return plain("other", "Nothing to do.");
  // After a compaction, some clients keep calls that the summary counts, too.
  const taken = history.isTask ? Math.min(history.calls, progress.get(script) ?? Infinity) : history.calls;
  const { next, calls: wanted } = stepAt(own, taken);
  const calls = wanted.map((call) => (offered(request, call) ? call : (call.otherwise ?? call)));
  const tools = calls.map((call) => offered(request, call));
  if (isSummaryRequest(request.prompt)) {
    const done = Math.max(history.calls, progress.get(script) ?? 0);
    const tag = request.prompt.includes("<state_snapshot>") ? "state_snapshot" : "summary";
    const say = `<${tag}>${summaryText(done)}</${tag}>`;
    // Some clients compute the size of the rest from what the summary read.
    const read = script.summaryTokens === undefined ? {} : { input: script.summaryTokens };
    return { answer: answer({ ...question, json: false }, { say, ...read }), slow: false, kind: "summary" };
  }
  // Titles and classifications come without tools, and so do most requests for a summary.
  if (tools.includes(undefined) || request.toolChoice === "none")
    return plain("without tools", summaryText(history.calls));
  if (history.isTask && script.slowAfter === history.calls)
    return { answer: answer(question, { length: SLOW_PIECES }), slow: true, kind: "slow" };
  // Once: after a compaction, a client may read the file again.
  const isFull = history.isTask && script.fullAfter === history.calls && !reportedFull.has(script);
  if (isFull) reportedFull.add(script);
  const input = isFull ? script.fullTokens : undefined;
  if (calls.length === 0) {
    const say = history.isTask ? `${LAST_WORD}.` : "The subtask is complete.";
    const read = input === undefined ? {} : { input };
    return { answer: answer({ ...question, json: false }, { say, ...read }), slow: false, kind: "last" };
  }
  if (history.isTask) progress.set(script, history.calls + calls.length);
  return { answer: callingAnswer(question, calls, tools, input), slow: false, kind: `step ${next}` };
}

/** Clients request a summary in the last message, some with their tools beside it. */
const isSummaryRequest = (prompt: string) =>
  /summar|compact|state_snapshot/i.test(prompt) &&
  !prompt.startsWith(TASK_MARK) &&
  // Reports of background agents have a summary, and so has a conversation after its compaction.
  !prompt.includes("<task-notification") &&
  !prompt.includes("MATRIX-DONE-") &&
  // After its compaction, a client lists the files it read before.
  !prompt.includes("before context was compacted");

const offered = (request: Question, call: ScriptedCall) =>
  request.tools.find(({ name }) => name === call.name || name.endsWith(`__${call.name}`));

function stepAt(steps: Script["steps"], done: number): { next: number; calls: readonly ScriptedCall[] } {
  let before = 0;
  for (const [index, calls] of steps.entries()) {
    if (before >= done) return { next: index, calls };
    before += calls.length;
  }
  return { next: steps.length, calls: [] };
}

function callingAnswer(
  question: Question,
  calls: readonly ScriptedCall[],
  tools: readonly (OfferedTool | undefined)[],
  reported: number | undefined,
): Answer {
  const say = "I continue.";
  const base = answer(
    { ...question, json: false },
    { say, ...(reported !== undefined && { input: reported }) },
  );
  const made = calls.map(({ name, input }, index) => ({
    id: randomBytes(12).toString("hex"),
    name: tools[index]?.name ?? name,
    input: JSON.stringify(typeof input === "function" ? input(question.toolResults) : input),
    ...(tools[index]?.form && { form: tools[index].form }),
  }));
  const written = made.reduce((sum, call) => sum + 3 + inputPieces(call.input).length, 0);
  const usage = base.usage && {
    ...base.usage,
    output: piecesOf(say).length + base.reasoning.length + written,
  };
  return { ...base, calls: made, finish: "tool-calls", usage };
}

import { asObject, type Json } from "@gateway/demo/answer/json";

/** Marks in texts, by which the scripted upstream recognizes whose turn it is and how far the task is. */
export const TASK_MARK = "MATRIX-TASK";
export const SUBTASK_MARK = "MATRIX-SUBTASK";

/** Text of a summary that continues the task after `done` calls. */
export const summaryText = (done: number) =>
  `${TASK_MARK} is under way. MATRIX-DONE-${done} calls are complete.`;

export interface History {
  /** Tool calls of the model so far; after a compaction those that its summary names, plus later ones. */
  calls: number;
  isTask: boolean;
  isSubtask: boolean;
}

const callTypes = new Set(["function_call", "custom_tool_call", "tool_use"]);

/** Reads the conversation of a request in any wire format, in its order. */
export function historyOf(body: Json): History {
  const history: History = { calls: 0, isTask: false, isSubtask: false };
  walk(body["messages"] ?? body["input"] ?? body["contents"], history);
  return history;
}

function walk(value: unknown, history: History): void {
  if (typeof value === "string") return readText(value, history);
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) return value.forEach((each) => walk(each, history));
  const object = asObject(value);
  if (isCall(object)) {
    history.calls += 1;
    return;
  }
  for (const each of Object.values(object)) walk(each, history);
}

/** Each format has another form: a type, a key of its own, or (Chat Completions) a function with arguments. */
function isCall(object: Json): boolean {
  if (callTypes.has(String(object["type"]))) return true;
  if ("functionCall" in object || "toolUse" in object) return true;
  return object["type"] === "function" && "arguments" in asObject(object["function"]);
}

function readText(text: string, history: History): void {
  if (text.includes(TASK_MARK)) history.isTask = true;
  if (text.includes(SUBTASK_MARK)) history.isSubtask = true;
  // Converse gets earlier calls as text when the client offers no tools.
  history.calls += text.match(/\[Called \w+ with /g)?.length ?? 0;
  const done = /MATRIX-DONE-(\d+)/.exec(text)?.[1];
  if (done !== undefined) history.calls = Number(done);
}

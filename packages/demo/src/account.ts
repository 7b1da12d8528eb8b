import { randomBytes } from "node:crypto";
import { contentOf } from "./answer/form.ts";
import { type Json, asObject, asText } from "./answer/json.ts";
import { BadQuestion } from "./answer/question.ts";
import { type Reply, json } from "./exchange.ts";

/** Files and batches of an account, as OpenAI stores them, in memory only. There are no vector stores. */
interface Kept {
  about: Json & { id: string };
  content: Buffer;
}

const MOST_FILES = 200;
const MOST_BYTES = 64 * 1024 * 1024;
const files = new Map<string, Kept>();
const batches = new Map<string, Json & { id: string }>();

type Answer = (body: Json, query: URLSearchParams) => Reply | undefined;

const answers: [method: string, path: RegExp, answer: (id: string) => Answer][] = [
  ["POST", /^\/v1\/files$/, () => upload],
  ["GET", /^\/v1\/files$/, () => (_body, query) => list([...files.values()].map(aboutOf), query)],
  ["GET", /^\/v1\/files\/([\w-]+)$/, (id) => () => replyOf(files.get(id)?.about)],
  ["GET", /^\/v1\/files\/([\w-]+)\/content$/, (id) => () => contentAt(id)],
  ["DELETE", /^\/v1\/files\/([\w-]+)$/, (id) => () => remove(id)],
  ["POST", /^\/v1\/batches$/, () => begin],
  ["GET", /^\/v1\/batches$/, () => (_body, query) => list([...batches.values()], query)],
  ["GET", /^\/v1\/batches\/([\w-]+)$/, (id) => () => replyOf(batches.get(id))],
  ["POST", /^\/v1\/batches\/([\w-]+)\/cancel$/, (id) => () => cancel(id)],
  ["GET", /^\/v1\/vector_stores$/, () => (_body, query) => list([], query)],
  ["DELETE", /^\/v1\/models\/([^/]+)$/, (id) => () => json({ id, object: "model", deleted: true })],
];

/**
 * Returns the handler of one of these addresses; undefined for other addresses. The handler returns undefined
 * for an unknown id.
 */
export function accountAnswer(method: string, path: string): Answer | undefined {
  for (const [requested, pattern, answer] of answers) {
    const match = requested === method ? pattern.exec(path) : null;
    if (match !== null) return answer(match[1] ?? "");
  }
  return undefined;
}

const now = () => Math.floor(Date.now() / 1000);
const aboutOf = ({ about }: Kept) => about;
const newId = (prefix: string) => `${prefix}${randomBytes(12).toString("hex")}`;

function replyOf(thing: Json | undefined): Reply | undefined {
  return thing === undefined ? undefined : json(thing);
}

function upload(body: Json): Reply {
  const file = asObject(body["file"]);
  const content = contentOf(body["file"]);
  const purpose = asText(body["purpose"]);
  if (content === undefined) throw new BadQuestion("'file' must be a file.", "file");
  if (purpose === "") throw new BadQuestion("'purpose' must be a text.", "purpose");
  const about = {
    id: newId("file-"),
    object: "file",
    bytes: content.length,
    created_at: now(),
    filename: asText(file["name"]),
    purpose,
    status: "processed",
  };
  files.set(about.id, { about, content });
  let bytes = [...files.values()].reduce((sum, kept) => sum + kept.content.length, 0);
  for (const [id, kept] of files) {
    if (id === about.id || (files.size <= MOST_FILES && bytes <= MOST_BYTES)) break;
    files.delete(id);
    bytes -= kept.content.length;
  }
  return json(about);
}

function contentAt(id: string): Reply | undefined {
  const kept = files.get(id);
  return kept === undefined ? undefined : { type: "application/octet-stream", body: kept.content };
}

function remove(id: string): Reply | undefined {
  return files.delete(id) ? json({ id, object: "file", deleted: true }) : undefined;
}

/** Starts a batch. It never completes, because no test would wait for it. */
function begin(body: Json): Reply {
  const input = asText(body["input_file_id"]);
  if (!files.has(input)) throw new BadQuestion(`There is no file '${input}'.`, "input_file_id");
  const batch = {
    id: newId("batch_"),
    object: "batch",
    endpoint: asText(body["endpoint"]),
    input_file_id: input,
    completion_window: asText(body["completion_window"]),
    status: "validating",
    created_at: now(),
    request_counts: { total: 0, completed: 0, failed: 0 },
  };
  const [oldest] = batches.keys();
  if (batches.size >= MOST_FILES && oldest !== undefined) batches.delete(oldest);
  batches.set(batch.id, batch);
  return json(batch);
}

function cancel(id: string): Reply | undefined {
  const batch = batches.get(id);
  if (batch === undefined) return undefined;
  const cancelled = { ...batch, status: "cancelling", cancelling_at: now() };
  batches.set(id, cancelled);
  return json(cancelled);
}

/** Returns one page, newest first. */
function list(things: (Json & { id: string })[], query: URLSearchParams): Reply {
  const purpose = query.get("purpose");
  const wanted = things.filter((thing) => purpose === null || thing["purpose"] === purpose).reverse();
  const from = wanted.findIndex(({ id }) => id === query.get("after")) + 1;
  const to = from + (Number(query.get("limit")) || 20);
  const data = wanted.slice(from, to);
  return json({
    object: "list",
    data,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: to < wanted.length,
  });
}

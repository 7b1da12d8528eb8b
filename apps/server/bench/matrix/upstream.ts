import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "@gateway/demo/answer/answer";
import { asText, type Json } from "@gateway/demo/answer/json";
import { BadQuestion, type Question } from "@gateway/demo/answer/question";
import { refusal } from "@gateway/demo/faults";
import { compaction } from "@gateway/demo/formats/compaction";
import { openResponses } from "@gateway/demo/responses-endpoint";
import { providerAt, type Route, routeAt } from "@gateway/demo/routes";
import { framesOfConverse, plainConverse, readConverse } from "./converse-wire.ts";
import { type History, historyOf } from "./history.ts";
import { type Planned, planAnswer, type Script } from "./script.ts";

/** One chat request that the upstream has answered. */
export interface ServedCall {
  path: string;
  kind: string;
  status: number;
  /** Tokens that the upstream reported; undefined when the client left before. */
  input?: number;
  output?: number;
  error?: string;
  tools: string[];
  body: Json;
}

/** A provider for all wire formats that follows a script instead of a model. */
export interface ScriptedUpstream {
  url: string;
  /** Follows this script from now on, and forgets the calls so far. */
  follow(script: Script): void;
  calls(): readonly ServedCall[];
  /** Resolves when the slow answer of the script has begun. */
  slow(): Promise<void>;
  close(): Promise<void>;
}

const LARGEST_BODY = 64 * 1024 * 1024;
const SLOW_PAUSE_MS = 50;
/** Pieces of a slow answer after which its client may leave. */
const PIECES_BEFORE_LEAVING = 20;
/** Requests that a run may need. More of them are a loop. */
const MAX_CALLS = 40;
const converse = /^\/model\/(.+)\/(converse|converse-stream)$/;

export async function startScriptedUpstream(): Promise<ScriptedUpstream> {
  let script: Script = { steps: [], subtask: [] };
  let calls: ServedCall[] = [];
  let slow = Promise.withResolvers<void>();
  /** Calls in the conversations behind response ids, which a client may name instead of repeating them. */
  const stored = new Map<string, History>();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  const closeSockets = openResponses(server);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > LARGEST_BODY) return void response.destroy();
    }
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://upstream");
    const path = decodeURIComponent(pathname);
    const body = JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as Json;
    const call: ServedCall = { path, kind: "", status: 200, tools: [], body };
    calls.push(call);
    try {
      if (calls.length > MAX_CALLS) throw new BadQuestion("The client does not end.", "messages");
      const chat = chatAt(path, body, routeAt(request.method ?? "POST", path, searchParams, request.headers));
      if (chat === undefined) return sendOther(response, call, path, body);
      call.tools = chat.question.tools.map((tool) => tool.name);
      // A request over WebSocket already contains the items of the earlier response.
      const isWhole = request.headers["x-demo-socket"] !== undefined;
      const before = isWhole ? undefined : stored.get(asText(body["previous_response_id"]));
      const own = historyOf(body);
      const history =
        before === undefined
          ? own
          : {
              calls: before.calls + own.calls,
              isTask: before.isTask || own.isTask,
              isSubtask: before.isSubtask || own.isSubtask,
            };
      const planned = planAnswer(script, chat.question, history);
      call.kind = planned.kind;
      stored.set(`resp_${planned.answer.id}`, {
        ...history,
        calls: history.calls + planned.answer.calls.length,
      });
      await send(response, chat, planned, () => slow.resolve());
      if (!response.destroyed) {
        call.input = planned.answer.usage?.input;
        call.output = planned.answer.usage?.output;
      }
    } catch (error) {
      if (!(error instanceof BadQuestion)) throw error;
      call.status = 400;
      call.error = error.message;
      const fault = { status: 400, message: error.message, param: error.param };
      const sent = refusal(providerAt(path, request.headers), fault, "req_matrix");
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(sent.body));
    }
  }

  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    follow(next) {
      script = next;
      calls = [];
      slow = Promise.withResolvers();
    },
    calls: () => calls,
    slow: () => slow.promise,
    close: () =>
      new Promise((resolve) => {
        closeSockets();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A request that a model answers, and the two forms of its answer. */
interface Chat {
  question: Question;
  type: string;
  plain(answer: Answer): Json;
  frames(answer: Answer): Iterable<{ bytes: Buffer; piece: boolean }>;
}

function chatAt(path: string, body: Json, route: Route | undefined): Chat | undefined {
  const [, model, verb] = converse.exec(path) ?? [];
  if (model !== undefined)
    return {
      question: readConverse(body, model, verb === "converse-stream"),
      type: "application/vnd.amazon.eventstream",
      plain: plainConverse,
      frames: framesOfConverse,
    };
  if (route?.kind !== "chat") return undefined;
  const { wire } = route;
  const question = wire.read(body, route.target);
  return {
    question,
    type: "text/event-stream",
    plain: (answer) => wire.plain(question, answer),
    *frames(answer) {
      for (const { text, piece } of wire.frames(question, answer)) yield { bytes: Buffer.from(text), piece };
    },
  };
}

async function send(
  response: ServerResponse,
  chat: Chat,
  { answer, slow }: Planned,
  begun: () => void,
): Promise<void> {
  if (!chat.question.stream) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(chat.plain(answer)));
    return;
  }
  response.writeHead(200, { "content-type": chat.type });
  let pieces = 0;
  for (const { bytes, piece } of chat.frames(answer)) {
    if (response.destroyed) return;
    response.write(bytes);
    if (!slow || !piece) continue;
    pieces += 1;
    if (pieces === PIECES_BEFORE_LEAVING) begun();
    await sleep(SLOW_PAUSE_MS);
  }
  response.end();
}

/** Answers what a provider offers beside chat: a compaction, or nothing. */
function sendOther(response: ServerResponse, call: ServedCall, path: string, body: Json): void {
  const reply = path === "/v1/responses/compact" ? compaction(body) : undefined;
  call.kind = reply === undefined ? "unknown" : "compaction";
  call.status = reply === undefined ? 404 : 200;
  const text = JSON.stringify(reply ?? { error: { message: `Nothing answers ${path} here.` } });
  response.writeHead(call.status, { "content-type": "application/json" }).end(text);
}

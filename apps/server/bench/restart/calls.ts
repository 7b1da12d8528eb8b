import { type Agent, request } from "node:http";

/** Calls of all client dialects, streamed and not, each of which is complete or failed. */
export interface Failure {
  /** Sent as a header, by which the proxy's log names the call. */
  call: string;
  what: string;
  /** Milliseconds since 1970. */
  at: number;
}

interface Kind {
  path: string;
  body: object;
  /** Found in a complete response. */
  end: string;
}

const text = "[[length=8]]";
const messages = [{ role: "user", content: text }];
const gemini = { contents: [{ role: "user", parts: [{ text }] }] };
const chat = { model: "demo-chat", messages };
const respond = { model: "demo-chat", input: text, store: false };
const message = { ...chat, max_tokens: 100 };

const kinds: readonly Kind[] = [
  { path: "/v1/chat/completions", body: chat, end: '"usage"' },
  { path: "/v1/messages", body: message, end: '"usage"' },
  { path: "/v1/responses", body: respond, end: '"usage"' },
  { path: "/v1beta/models/demo-chat:generateContent", body: gemini, end: '"usageMetadata"' },
  { path: "/v1/chat/completions", body: { ...chat, stream: true }, end: "[DONE]" },
  { path: "/v1/messages", body: { ...message, stream: true }, end: "message_stop" },
  { path: "/v1/responses", body: { ...respond, stream: true }, end: "response.completed" },
  {
    path: "/v1beta/models/demo-chat:streamGenerateContent?alt=sse",
    body: gemini,
    end: '"finishReason"',
  },
];

const TIMEOUT_MS = 60_000;

/** Sends call `number` to the proxy. Returns undefined when its response is complete. */
export function send(url: string, key: string, number: number, agent: Agent): Promise<Failure | undefined> {
  const { path, body, end } = kinds[number % kinds.length]!;
  const call = `call-${number}`;
  return new Promise((resolve) => {
    const failed = (what: string) => resolve({ call, what: `${path}: ${what}`, at: Date.now() });
    const sent = request(
      url + path,
      {
        method: "POST",
        agent,
        timeout: TIMEOUT_MS,
        headers: {
          "content-type": "application/json",
          authorization: `Bearer ${key}`,
          "x-api-key": key,
          "x-goog-api-key": key,
          "x-call": call,
        },
      },
      (response) => {
        let answer = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (answer += chunk));
        response.on("error", (error) => failed(`broke off, ${error.message}`));
        response.on("end", () => {
          if (response.statusCode === 200 && answer.includes(end)) resolve(undefined);
          else failed(`${response.statusCode} ${answer.slice(0, 200)}`);
        });
      },
    );
    sent.on("timeout", () => sent.destroy(new Error(`no answer for ${TIMEOUT_MS / 1_000} s`)));
    sent.on("error", (error) => failed(error.message));
    sent.end(JSON.stringify(body));
  });
}

/**
 * The provider behind every target. It responds immediately, or streams chunks at the pace in the request's
 * `user` field ("50x20": 50 chunks, one every 20 ms). Each chunk of a paced stream contains its send time,
 * from which the load generator computes the delay. Prints its address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

const HEAD_BYTES = 1_024;
const usage = { prompt_tokens: 40, completion_tokens: 64, total_tokens: 104 };
const base = { id: "chatcmpl-bench", created: 1_790_000_000, model: "demo-chat" };

const text = "The answer to a question of the benchmark, as long as most short answers are. ".repeat(4);
const whole = Buffer.from(
  JSON.stringify({
    ...base,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage,
  }),
);

function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices })}\n\n`;
}

const last =
  `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n` +
  `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [], usage })}\n\ndata: [DONE]\n\n`;

function answer(response: ServerResponse, chunks: number, paceMs: number): void {
  if (chunks === 0) {
    response.writeHead(200, { "content-type": "application/json", "content-length": whole.length });
    response.end(whole);
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (paceMs === 0) {
    for (let sent = 0; sent < chunks; sent += 1) response.write(chunk(" word"));
    response.end(last);
    return;
  }
  let sent = 0;
  const send = () => {
    response.write(chunk(`@${(performance.timeOrigin + performance.now()).toFixed(3)}@`));
    sent += 1;
    if (sent < chunks) return;
    clearInterval(timer);
    response.end(last);
  };
  const timer = setInterval(send, paceMs);
  response.on("close", () => clearInterval(timer));
  send();
}

const server = createServer((request: IncomingMessage, response) => {
  let head = "";
  request.on("data", (data: Buffer) => {
    if (head.length < HEAD_BYTES) head += data.toString("latin1", 0, HEAD_BYTES);
  });
  request.on("end", () => {
    const [, chunks = "0", paceMs = "0"] = /"user":"(\d+)x(\d+)"/.exec(head) ?? [];
    answer(response, Number(chunks), Number(paceMs));
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});

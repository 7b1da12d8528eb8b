/**
 * A second baseline: what a small relay costs that uses Fastify and undici and reads the usage of every response, but
 * checks and bills nothing.
 */
import { Transform } from "node:stream";
import Fastify from "fastify";
import { Pool } from "undici";

const [, , target = ""] = process.argv;
const pool = new Pool(target);
const app = Fastify({ bodyLimit: 64 * 1024 * 1024 });
let tokens = 0;

function scan(text: string): void {
  const at = text.indexOf('"usage":{');
  if (at === -1) return;
  const [, count = "0"] = /"total_tokens":(\d+)/.exec(text.slice(at)) ?? [];
  tokens += Number(count);
}

app.post("/v1/chat/completions", async (request, reply) => {
  const answer = await pool.request({
    method: "POST",
    path: request.url,
    headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
    body: JSON.stringify(request.body),
  });
  reply.code(answer.statusCode).header("content-type", String(answer.headers["content-type"]));
  const scanned = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      scan(chunk.toString("utf8"));
      done(null, chunk);
    },
  });
  return reply.send(answer.body.pipe(scanned));
});
app.get("/tokens", () => ({ tokens }));

console.log(await app.listen({ port: 0, host: "127.0.0.1", listenTextResolver: () => "" }));

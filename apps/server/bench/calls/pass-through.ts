/**
 * The baseline: the maximum throughput of Node.js between a client and a provider. It parses nothing, checks
 * nothing and bills nothing. It only forwards bytes.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Pool } from "undici";

const [, , target = ""] = process.argv;
const pool = new Pool(target);

async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authorization = "", "content-type": type = "", "content-length": length = "0" } = request.headers;
  const answer = await pool.request({
    method: "POST",
    path: request.url ?? "/",
    headers: { authorization, "content-type": type, "content-length": length },
    body: request,
  });
  response.writeHead(answer.statusCode, { "content-type": String(answer.headers["content-type"]) });
  await pipeline(answer.body, response);
}

const server = createServer((request, response) => {
  pass(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});

import { execFile, spawnSync } from "node:child_process";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rootPassword, startTestGateway, testAccessToken, type TestGateway } from "#test/gateway.ts";
import { nightly } from "#test/nightly.ts";

/** Typical scripts for One Hub, in Python, run unchanged against a gateway. */
const folder = new URL("../one-hub-scripts/", import.meta.url).pathname;
const scripts = [
  "sell_a_token",
  "copy_channels",
  "manage_users",
  "sell_codes",
  "test_channels",
  "read_statistics",
  "save_options",
  "pay_an_order",
  // Replaces the access token of root, with which the others work.
  "sign_in_with_password",
];

const runs = (...args: string[]) => spawnSync("python3", args, { stdio: "ignore" }).status === 0;
const clients = [
  {
    client: "the standard library",
    needs: "Python 3.9 or later (python3)",
    isThere: runs("-c", "import sys; assert sys.version_info >= (3, 9)"),
    isNightly: false,
  },
  {
    client: "requests",
    needs: "the library requests (python3-requests)",
    isThere: runs("-c", "import requests"),
    // The same requests from the same scripts.
    isNightly: true,
  },
];

/** Answers as OpenAI does. The key `sk-refused` is refused. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const send = (status: number, body: object) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  if (request.headers.authorization !== "Bearer sk-good")
    return send(401, { error: { message: "Incorrect API key provided.", type: "invalid_request_error" } });
  const { pathname } = new URL(request.url ?? "", "http://provider");
  if (pathname === "/v1/models") return send(200, { data: [{ id: "sale-chat" }, { id: "check-chat" }] });
  if (pathname === "/v1/dashboard/billing/subscription")
    return send(200, { hard_limit_usd: 20, has_payment_method: true });
  if (pathname === "/v1/dashboard/billing/usage") return send(200, { total_usage: 500 });
  if (pathname !== "/v1/chat/completions") return send(404, { error: { message: pathname } });
  const message = { role: "assistant", content: "Hello." };
  send(200, {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "chat",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
  });
}

for (const { client, needs, isThere, isNightly } of clients) {
  if (!isThere) console.warn(`Scripts for One Hub with ${client}: not run, ${needs} is missing here.`);
  describe.skipIf(!isThere)(`scripts for One Hub with ${client}`, nightly(isNightly), () => {
    let provider: Server;
    let gateway: TestGateway;

    beforeAll(async () => {
      provider = createServer(answer);
      await new Promise<void>((resolve) => {
        provider.listen(0, "127.0.0.1", resolve);
      });
      gateway = await startTestGateway();
      // The default of a first start, which a script reads.
      await gateway.allow(600);
    });
    afterAll(async () => {
      await gateway.stop();
      provider.close();
    });

    it.each(scripts)("%s.py", async (script) => {
      const { port } = provider.address() as AddressInfo;
      const { stdout } = await promisify(execFile)("python3", [`${folder}${script}.py`], {
        timeout: 50_000,
        env: {
          PATH: process.env["PATH"],
          HOME: process.env["HOME"],
          PYTHONDONTWRITEBYTECODE: "1",
          HTTP_CLIENT: client,
          SITE: gateway.url,
          PROVIDER: `http://127.0.0.1:${port}`,
          ROOT_PASSWORD: rootPassword,
          ROOT_TOKEN: testAccessToken,
        },
      });
      console.info(`${script}.py with ${client}: ${stdout.trim()}`);
      expect(stdout).not.toBe("");
    });
  });
}

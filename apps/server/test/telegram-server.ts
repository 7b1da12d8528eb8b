import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Simulates the Bot API on this machine for one bot. It rejects what Telegram would reject. */
export interface TelegramServer {
  url: string;
  calls: { method: string; body: Record<string, unknown> }[];
  /** The registered webhook: its address, secret and kinds of updates. */
  webhook: { url: string; secret: string; updates: string[] };
  close(): Promise<void>;
}

export const botToken = "4711:stand-in-token";

export async function startTelegramServer(): Promise<TelegramServer> {
  const calls: TelegramServer["calls"] = [];
  const webhook: TelegramServer["webhook"] = { url: "", secret: "", updates: [] };
  /** Text of the last message. Telegram rejects an edit that changes nothing. */
  let shown = "";

  function resultOf(method: string, body: Record<string, unknown>): object {
    if (method === "getMe") return { ok: true, result: { id: 4711, username: "stand_in_bot" } };
    if (method === "getWebhookInfo") return { ok: true, result: { url: webhook.url } };
    if (method === "setWebhook") {
      const url = String(body["url"]);
      if (!url.startsWith("https://")) return refusal("Bad Request: bad webhook: HTTPS url must be provided");
      const updates = body["allowed_updates"] as string[];
      Object.assign(webhook, { url, secret: String(body["secret_token"]), updates });
    }
    if (method === "setMyCommands") {
      const names = (body["commands"] as { command: string }[]).map((each) => each.command);
      if (new Set(names).size < names.length) return refusal("Bad Request: duplicate commands");
    }
    if (method === "editMessageText" && body["text"] === shown)
      return refusal("Bad Request: message is not modified: the new content is the same");
    if (method === "editMessageText" || method === "sendMessage") shown = String(body["text"]);
    if (body["parse_mode"] === "MarkdownV2" && String(body["text"]).includes("."))
      return refusal("Bad Request: can't parse entities: Character '.' is reserved");
    return { ok: true, result: true };
  }

  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    request.on("end", () => {
      const [, token, method = ""] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? "") ?? [];
      const body = JSON.parse(text) as Record<string, unknown>;
      const known = token === botToken;
      if (known) calls.push({ method, body });
      const answer = known ? resultOf(method, body) : refusal("Unauthorized");
      response
        .writeHead("error_code" in answer ? 400 : 200, { "content-type": "application/json" })
        .end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    webhook,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function refusal(description: string): object {
  return { ok: false, error_code: 400, description };
}

/** Something on every list, for tests of all screens and dialogs. */
import type { Installation } from "./installation.ts";

export async function furnish(site: Installation): Promise<void> {
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "demo", tag: "demo" });
  await site.api("POST", "/user", { username: "penny", password: "long enough" });
  await site.api("POST", "/redemption", { name: "gift", quota: 500_000, count: 1 });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  const answer = await fetch(`${site.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "Hello" }] }),
  });
  await answer.text();
}

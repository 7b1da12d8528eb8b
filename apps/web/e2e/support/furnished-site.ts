/** An installation with something on every list, for tests of all screens and dialogs. */
import { openSite, type Site } from "./site.ts";

/** @param local allows the gateway to call addresses on this machine */
export async function furnishedSite(local = false): Promise<Site> {
  const site = await openSite({}, local);
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
  return site;
}

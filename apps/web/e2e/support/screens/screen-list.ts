/** Addresses of all screens, forms and public pages. A new screen or public page is in the lists without a change here. */
import { readFileSync } from "node:fs";
import type { Installation } from "../installation.ts";

const sourceOf = (name: string) => readFileSync(new URL(`../../../src/app/${name}`, import.meta.url), "utf8");

/** Ids and definitions of the screens. Node cannot load the components that the file refers to. */
const definitions = sourceOf("screens.ts")
  .split(/^ {4}id: "/m)
  .slice(1)
  .map((text) => ({ id: text.slice(0, text.indexOf('"')), text }));

/** Ids of the console's screens. */
export const screenIds = definitions.map(({ id }) => id);

/** Forms, drawers and dialogs that have an address. */
export const dialogPaths = [
  "channel?edit=new",
  "channel?edit=1",
  "channel?timeline=1",
  "channel?bulk=tag:demo",
  "channel?file=import",
  "channel?file=export",
  "channel?ask=test",
  "channel?remove=model",
  "channel?disable=model",
  "channel?rotate=1",
  "channel?changes=all",
  "channel/1?edit=1",
  "mcp?edit=new",
  "mcp?edit=1",
  "mcp?view=servers&edit=new",
  "mcp?view=servers&edit=1",
  "user?edit=new",
  "user?user=1",
  "user?balance=2",
  "user?budget=2",
  "user?promote=2",
  "user?customer=new",
  "user?budget=user",
  "user/2?edit=2",
  "user/2?balance=2",
  "user_group?edit=new",
  "user_group?edit=1",
  "user_group?budget=1",
  "user_group?prices=1",
  "token?edit=new",
  "token?edit=1",
  "token/1?rotate=1",
  "token?view=all&edit=new",
  "token?view=all&budget=1",
  "pricing?edit=new",
  "pricing?edit=demo-chat-mini",
  "pricing?update=list",
  "pricing?disable=demo-chat",
  "model_price/demo-chat?disable=demo-chat",
  "model_price?compare=demo-chat%2Cdemo-chat-mini&side=1",
  "statement?budget=own",
  "log?shares=open",
  "model_info?edit=new",
  "model_info?import=list",
  "model_ownedby?edit=new",
  "telegram?edit=new",
  "redemption?edit=new",
  "payment?tab=gateways&edit=new",
  "audit?entry=1",
].map((path) => `/panel/${path}`);

/** The public pages as the router names them, with an example in the place of a parameter. */
export const publicPaths = [...sourceOf("router.tsx").matchAll(/\bpath: "([^"*]+)"/g)]
  .map(([, path]) => `/${path}`.replace("/:provider", "/github").replace("/:id", "/demo-chat"))
  // A shared call needs a link: traffic/shared-calls.test.ts examines its page.
  .filter((path) => path !== "/panel" && path !== "/share/:secret")
  .concat("/", "/help/billing");

/**
 * Puts something on every list, so that not only empty states are examined.
 * @returns the addresses of all console screens, including the pages of single objects
 */
export async function furnishScreens(site: Installation): Promise<string[]> {
  const channel = { type: 900, groups: ["default"], models: ["demo-chat", "demo-chat-mini"] };
  await site.api("POST", "/channel", { ...channel, name: "demo", tag: "demo" });
  await site.api("POST", "/prices/single", {
    model: "demo-chat-mini",
    type: "times",
    channel_type: 1,
    input: 500,
    output: 0,
  });
  await site.api("POST", "/mcp_server", { name: "github", url: "https://mcp.example.com/mcp", price: 0.01 });
  await site.api("POST", "/mcp_bundle", { name: "work", servers: [1], groups: ["default"] });
  await site.api("POST", "/redemption", { name: "gift", quota: 500_000, count: 2 });
  await site.api("POST", "/user", { username: "demo1", password: "long enough", quota: 500_000 });
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "x-session-id": "session-1",
  };
  const call = async (model: string) => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] });
    await (await fetch(`${site.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  };
  await Promise.all(["demo-chat", "demo-chat-mini", "no-such-model"].map(call));
  await site.api("PUT", "/option/batch", { values: { StatusPageEnabled: true } });
  const { data } = await site.api<{ data: { request_id: string }[] }>("GET", "/log?type=2&size=1");
  return consolePaths({ log: data[0]?.request_id });
}

/** @param chosen ids of objects that the server chooses, by screen */
export function consolePaths(chosen: Record<string, string | undefined>): string[] {
  const objects: Record<string, string | undefined> = {
    channel: "1",
    user: "1",
    token: "1",
    model_price: "demo-chat",
    help: "billing",
    session: "session-1",
    ...chosen,
  };
  const pages = definitions
    .filter(({ text }) => text.includes("loadOne: "))
    .map(({ id }) => {
      if (objects[id] === undefined) throw new Error(`There is no object for /panel/${id}/:id.`);
      return `/panel/${id}/${objects[id]}`;
    });
  return [...screenIds.map((id) => `/panel/${id}`), "/panel/nowhere", ...pages];
}

import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rootUser } from "./installation.ts";
import { openSite, type Site } from "./site.ts";

/** The whole product below a path of its host. */
let site: Site;
let origin: string;
beforeAll(async () => {
  site = await openSite({ BASE_PATH: "/gw" });
  origin = new URL(site.url).origin;
});
afterAll(() => site.close());

/** Addresses of this host that lie outside, answers that say no, and what the page's policy forbade. */
async function watch(page: Page): Promise<string[]> {
  const found: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.url().startsWith(origin) && !pathname.startsWith("/gw/")) found.push(`outside: ${pathname}`);
  });
  page.on("response", (answer) => {
    if (answer.status() >= 400 && answer.status() !== 401) found.push(`${answer.status()}: ${answer.url()}`);
  });
  await page.exposeFunction("noteViolation", (text: string) => found.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const note = (window as unknown as { noteViolation: (text: string) => void }).noteViolation;
      note(`forbidden: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return found;
}

it("signs in, shows the console and tells clients an address that answers", async () => {
  const page = await site.open("about:blank", { guest: true });
  const found = await watch(page);
  await page.goto(`${origin}/gw/panel/token`);
  await page.waitForURL(`${origin}/gw/login?next=*`);
  await page.getByLabel("Username").first().fill(rootUser.username);
  await page.getByLabel("Password", { exact: false }).first().fill(rootUser.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).last().click();
  await page.waitForURL(`${origin}/gw/panel/token`);
  await page.getByRole("heading", { name: "Tokens", level: 1 }).waitFor();
  expect((await page.context().cookies())[0]?.path).toBe("/gw");

  await page.getByRole("link", { name: "Dashboard" }).first().click();
  await page.getByRole("tab", { name: "My usage" }).click();
  await page.getByText(`${origin}/gw/v1/chat/completions`).first().waitFor();
  const answer = await fetch(`${origin}/gw/v1/models`, { headers: { authorization: "Bearer nobody" } });
  expect(answer.status).toBe(401);
  await page.reload();
  await page.getByRole("heading", { name: "Dashboard", level: 1 }).waitFor();
  expect(found).toEqual([]);
});

it("names the site to those who only read the page's head", async () => {
  const before = await (await fetch(`${origin}/gw/about`, { headers: { host: "evil.example" } })).text();
  expect(before).not.toMatch(/canonical|og:url|evil/);
  await site.api("PUT", "/option/", { key: "ServerAddress", value: origin });
  await site.api("PUT", "/option/", { key: "SystemName", value: 'Ours & "$& <theirs>' });
  const page = await site.open(`${origin}/gw/about`, { guest: true });
  const source = await (await fetch(`${origin}/gw/about`)).text();
  expect(source).toContain("<title>Ours &amp; &quot;$&amp; &lt;theirs&gt;</title>");
  expect(source).toContain(`<link rel="canonical" href="${origin}/gw/about"`);
  expect(source).toContain('<html lang="en-US"');
  await site.api("PUT", "/option/", { key: "Language", value: "zh_CN" });
  expect(await (await fetch(`${origin}/gw/about`)).text()).toContain('<html lang="zh-CN"');
  const meta = (name: string) => page.locator(`meta[property="${name}"]`).getAttribute("content");
  expect(await meta("og:site_name")).toBe('Ours & "$& <theirs>');
  expect(await meta("og:url")).toBe(`${origin}/gw/about`);
  expect(await (await fetch(`${origin}/gw/panel/token`)).text()).toContain('content="noindex"');
  expect(await (await fetch(`${origin}/robots.txt`)).text()).toContain("Disallow: /gw/panel\n");
});

it("leads on from a message to a chat app we know, and nowhere else", async () => {
  const page = await site.open(`${origin}/gw/about`, { guest: true });
  // The page may leave for the app before it is loaded.
  const jump = `${origin}/gw/jump?url=${encodeURIComponent("ama://set-api-key?key=sk-1")}`;
  await page.goto(jump, { waitUntil: "commit" });
  const button = page.getByRole("link", { name: "Open in the app" });
  await expect.poll(() => button.getAttribute("href")).toBe("ama://set-api-key?key=sk-1");
  const other = await site.open(`${origin}/gw/jump?url=${encodeURIComponent("https://elsewhere.example")}`, {
    guest: true,
  });
  await other.getByText("This link cannot be opened").waitFor();
  await expect.poll(() => new URL(other.url()).origin).toBe(origin);
});

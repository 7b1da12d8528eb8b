import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { rootUser } from "./support/installation.ts";
import { openSite, type Site } from "./support/site.ts";

/** The whole product below a base path. */
let site: Site;
let origin: string;
beforeAll(async () => {
  site = await openSite({ BASE_PATH: "/gw" });
  origin = new URL(site.url).origin;
});
afterAll(() => site.close());

/** Collects requests outside the base path, error responses, and violations of the page's content policy. */
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

it("signs in, opens the console and shows clients a working address", async () => {
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

it("contains the site's name in the page's head for crawlers", async () => {
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

it("links from a message to known chat apps only", async () => {
  const page = await site.open(`${origin}/gw/about`, { guest: true });
  // The page may open the app before it has loaded.
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

it("serves the built files compressed and with their cache time, and nothing else of the disk", async () => {
  const page = await (await fetch(`${origin}/gw/`)).text();
  const script = /(assets\/[^"]+\.js)"/.exec(page)?.[1] ?? "";
  const built = await fetch(`${origin}/gw/${script}`, { headers: { "accept-encoding": "br" } });
  expect(built.status).toBe(200);
  expect(Object.fromEntries(built.headers)).toMatchObject({
    "cache-control": "public, max-age=31536000, immutable",
    "content-encoding": "br",
    "content-type": expect.stringContaining("application/javascript"),
  });
  expect((await fetch(`${origin}/gw/${script}`, { method: "HEAD" })).status).toBe(200);
  const style = await fetch(`${origin}/gw/boot.css`);
  expect(style.headers.get("cache-control")).toBe("no-cache");
  for (const path of ["assets/index-00000000.js", "assets/", "assets/..%2f..%2fpackage.json"]) {
    const missing = await fetch(`${origin}/gw/${path}`);
    expect(missing.status, path).toBeGreaterThanOrEqual(400);
    expect(await missing.text(), path).not.toContain("dependencies");
  }
  const other = await fetch(`${origin}/gw/no-such-page`);
  expect(other.headers.get("content-type")).toContain("text/html");
});

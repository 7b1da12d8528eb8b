/** The whole product below a base path. */
import type { Page } from "@playwright/test";
import { goTo } from "../support/go-to.ts";
import { rootUser } from "../support/installation.ts";
import { expect, test } from "../support/test.ts";

test.use({ gateway: { env: { BASE_PATH: "/gw" } }, guest: true });

let origin: string;
test.beforeAll(({ site }) => {
  ({ origin } = new URL(site.url));
});

/** Collects requests outside the base path, error responses, and violations of the page's content policy. */
async function watch(page: Page): Promise<string[]> {
  const complaints: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.url().startsWith(origin) && !pathname.startsWith("/gw/"))
      complaints.push(`outside: ${pathname}`);
  });
  page.on("response", (answer) => {
    if (answer.status() >= 400 && answer.status() !== 401)
      complaints.push(`${answer.status()}: ${answer.url()}`);
  });
  await page.exposeFunction("noteViolation", (text: string) => complaints.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const note = (window as unknown as { noteViolation: (text: string) => void }).noteViolation;
      note(`forbidden: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return complaints;
}

test("below a base path, the console signs in and shows clients a working address", async ({ page }) => {
  const complaints = await watch(page);
  await page.goto(`${origin}/gw/panel/token`);
  await page.waitForURL(`${origin}/gw/login?next=*`);
  await page.getByLabel("Username").first().fill(rootUser.username);
  await page.getByLabel("Password", { exact: false }).first().fill(rootUser.password);
  await page.getByRole("button", { name: "Sign in", exact: true }).last().click();
  await page.waitForURL(`${origin}/gw/panel/token`);
  await expect(page.getByRole("heading", { name: "Tokens", level: 1 })).toBeVisible();
  expect((await page.context().cookies())[0]?.path).toBe("/gw");

  await page.getByRole("link", { name: "Dashboard" }).first().click();
  await page.getByRole("tab", { name: "My usage" }).click();
  await expect(page.getByText(`${origin}/gw/v1/chat/completions`).first()).toBeVisible();
  const answer = await fetch(`${origin}/gw/v1/models`, { headers: { authorization: "Bearer nobody" } });
  expect(answer.status).toBe(401);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Dashboard", level: 1 })).toBeVisible();
  expect(complaints).toEqual([]);

  await test.step("a link in a message opens known chat apps only", async () => {
    const jump = (url: string) => `/gw/jump?url=${encodeURIComponent(url)}`;
    const app = "ama://set-api-key?key=sk-1";
    await goTo(page, jump("https://elsewhere.example"));
    await expect(page.getByText("This link cannot be opened")).toBeVisible();
    expect(new URL(page.url()).origin).toBe(origin);
    await goTo(page, jump(app));
    await expect(page.getByRole("link", { name: "Open in the app" })).toHaveAttribute("href", app);
  });
});

test("the page's head contains the site's name for crawlers", async ({ site }) => {
  const source = async (path: string, headers = {}) => (await fetch(`${origin}${path}`, { headers })).text();
  expect(await source("/gw/about", { host: "evil.example" })).not.toMatch(/canonical|og:url|evil/);
  await site.api("PUT", "/option/", { key: "ServerAddress", value: origin });
  await site.api("PUT", "/option/", { key: "SystemName", value: 'Ours & "$& <theirs>' });
  const about = await source("/gw/about");
  const name = "Ours &amp; &quot;$&amp; &lt;theirs&gt;";
  expect(about).toContain(`<title>${name}</title>`);
  expect(about).toContain(`<meta property="og:site_name" content="${name}"`);
  expect(about).toContain(`<meta property="og:url" content="${origin}/gw/about"`);
  expect(about).toContain(`<link rel="canonical" href="${origin}/gw/about"`);
  expect(about).toContain('<html lang="zh-CN"');
  await site.api("PUT", "/option/", { key: "Language", value: "en_US" });
  expect(await source("/gw/about")).toContain('<html lang="en-US"');
  expect(await source("/gw/panel/token")).toContain('content="noindex"');
  expect(await source("/robots.txt")).toContain("Disallow: /gw/panel\n");
  await site.api("PUT", "/option/batch", {
    values: { ServerAddress: null, SystemName: null, Language: null },
  });
});

test("the built files are served compressed and with their cache time, and nothing else of the disk", async () => {
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
  // A page of an old version has to notice that its script no longer exists.
  const gone = await fetch(`${origin}/gw/assets/gone-1a2b3c4d.js`);
  expect(gone.status).toBe(404);
  expect(await gone.text()).toBe("");
  const other = await fetch(`${origin}/gw/no-such-page`);
  expect(other.headers.get("content-type")).toContain("text/html");
});

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openSite, type Site } from "../support/site.ts";

/** About and home pages at an operator's address, and messages about failed copying. */
let site: Site;
let other: Server;
let address = "";

beforeAll(async () => {
  other = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(`<h1>Elsewhere</h1><p id=out></p><script>
      let out = "no storage"; try { localStorage.setItem("a", "b"); out = "storage"; } catch {}
      document.getElementById("out").textContent = out + ", " + origin + ", referrer " + (document.referrer || "none");
    </script>`);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/page`;
  site = await openSite();
  await site.api("PUT", "/option/", { key: "About", value: `  ${address}\n` });
});
afterAll(async () => {
  await site.close();
  await new Promise((resolve) => other.close(resolve));
});

it.each([
  ["desktop", false, false, "en-US"],
  ["desktop, dark", false, true, "zh-CN"],
  ["phone", true, false, "zh-CN"],
  ["phone, dark", true, true, "en-US"],
])("about: an address is shown in a sandboxed frame (%s)", async (name, phone, dark, locale) => {
  const page = await site.open("/about", { guest: true, phone, dark, locale });
  const frame = page.locator("iframe");
  expect(await frame.getAttribute("sandbox")).toBe("allow-scripts allow-forms allow-popups");
  await page.frameLocator("iframe").getByText("no storage, null, referrer none").waitFor();
  await expect.poll(() => page.getByRole("status").count()).toBe(0);
  expect(await page.locator(`a[href="${address}"]`).getAttribute("rel")).toBe("noopener noreferrer");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  expect(wide).toBe(true);
  const box = await frame.boundingBox();
  expect(box?.height).toBeGreaterThan(500);
  const folder = process.env["SCREENSHOTS"];
  if (folder) await page.screenshot({ path: `${folder}/about-${name.replace(", ", "-")}.png` });
});

it("about: text that only begins with an address is shown as text", async () => {
  await site.api("PUT", "/option/", { key: "About", value: `${address} is our **site**` });
  const page = await site.open("/about", { guest: true });
  await page.getByText("site", { exact: true }).waitFor();
  expect(await page.locator("iframe").count()).toBe(0);
});

it("copying: a failure replaces the previous message", async () => {
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "Copied" });
  expect(key).not.toBe("");
  const page = await site.open("/panel/token");
  await page.evaluate(() => {
    Object.defineProperty(navigator, "clipboard", { value: undefined });
    document.execCommand = () => false;
  });
  const copy = page.getByRole("button", { name: "Copy Key" }).first();
  const notes = page.getByRole("alert").filter({ hasText: "could not be copied" });
  for (let round = 0; round < 4; round += 1) {
    await copy.click();
    await notes.first().waitFor();
  }
  await expect.poll(() => notes.count()).toBe(1);
});

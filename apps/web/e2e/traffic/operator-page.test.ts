/** The page about the site, which an operator writes or hosts elsewhere. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test, type Site } from "../support/test.ts";

test.use({ guest: true });

let site: Site;
let other: Server;
let address = "";

test.beforeAll(async ({ site: started }) => {
  other = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(`<h1>Elsewhere</h1><p id=out></p><script>
      let out = "no storage"; try { localStorage.setItem("a", "b"); out = "storage"; } catch {}
      document.getElementById("out").textContent = out + ", " + origin + ", referrer " + (document.referrer || "none");
    </script>`);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/page`;
  site = started;
});
test.afterAll(() => new Promise<void>((resolve) => void other.close(() => resolve())));

test("about: an address is shown in a sandboxed frame, and text that begins with one as text", async ({
  page,
}) => {
  const frame = page.locator("iframe");
  await test.step("an address", async () => {
    await site.api("PUT", "/option/", { key: "About", value: `  ${address}\n` });
    await page.goto("/about");
    await page.frameLocator("iframe").getByText("no storage, null, referrer none").waitFor();
    await expect(frame).toHaveAttribute("sandbox", "allow-scripts allow-forms allow-popups");
    await expect(page.getByRole("status")).toHaveCount(0);
    await expect(page.locator(`a[href="${address}"]`)).toHaveAttribute("rel", "noopener noreferrer");
  });
  await test.step("text that begins with an address", async () => {
    await site.api("PUT", "/option/", { key: "About", value: `${address} is our **site**` });
    await page.reload();
    await page.getByText("site", { exact: true }).waitFor();
    await expect(frame).toHaveCount(0);
  });
});

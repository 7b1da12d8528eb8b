/** The public home page and About: what visitors see by default, and what an operator leaves out or writes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { addChannel } from "../support/channel-stock.ts";
import { goTo } from "../support/go-to.ts";
import { expect, test, type Site } from "../support/test.ts";

/** A line of About that only administrators see. */
const note = /Only administrators see this line/;

test("the home page shows a call with its bill and providers, and About explains the site or shows the page of the operator", async ({
  site,
}) => {
  await addChannel(site, { models: ["demo-chat"] });
  const page = await site.open("/", { guest: true });
  const example = page.getByRole("region", { name: "Example of a call" });
  await test.step("the route and the bill of the example", async () => {
    await expect(
      example.getByRole("img", { name: /first channel fails .* second channel answers/ }),
    ).toBeVisible();
    const bill = example.getByRole("table", { name: "Bill of the example" });
    await expect(bill.getByRole("row")).toHaveText([
      /2,000 tokens\$1\.00/,
      /500 tokens\$3\.00/,
      /Failed/,
      /\$0\.003500/,
    ]);
    await example.getByRole("button", { name: "Play again" }).click();
    await expect(bill).toBeVisible();
  });

  await test.step("a provider with its lowest price", async () => {
    const provider = page.getByRole("list", { name: "Providers" }).getByRole("link", { name: /^Demo/ });
    await expect(provider).toHaveText(/1 model\s*from \$1\.00/);
  });

  await test.step("availability is unknown until there are calls", async () => {
    await expect(page.getByText("No calls in the last 24 hours. Availability is unknown.")).toBeVisible();
  });

  await test.step("the command for an agent has this address", async () => {
    await expect(page.getByText("/install.sh | sh -s -- claude-code")).toBeVisible();
  });

  await test.step("an operator leaves parts out", async () => {
    await site.api("PUT", "/option", { key: "HomeBlocks", value: "models" });
    await page.reload();
    await expect(page.getByRole("heading", { name: "Models available now" })).toBeVisible();
    await expect(example).toHaveCount(0);
    await expect(page.getByRole("heading", { name: "Providers" })).toHaveCount(0);
  });

  await test.step("About explains the site, and not how to replace it", async () => {
    await goTo(page, "/about");
    await expect(page.getByRole("heading", { name: "What a call costs" })).toBeVisible();
    await expect(page.getByText(note)).toHaveCount(0);
  });
  await expectPageOfOperator(page, site);
});

/** About is an address in a sandboxed frame, or a text. */
async function expectPageOfOperator(page: Page, site: Site): Promise<void> {
  const other = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end(`<h1>Elsewhere</h1><p id=out></p><script>
      let out = "no storage"; try { localStorage.setItem("a", "b"); out = "storage"; } catch {}
      document.getElementById("out").textContent = out + ", " + origin + ", referrer " + (document.referrer || "none");
    </script>`);
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}/page`;
  const frame = page.locator("iframe");
  try {
    await test.step("an address is shown in a sandboxed frame", async () => {
      await site.api("PUT", "/option/", { key: "About", value: `  ${address}\n` });
      await page.reload();
      await page.frameLocator("iframe").getByText("no storage, null, referrer none").waitFor();
      await expect(frame).toHaveAttribute("sandbox", "allow-scripts allow-forms allow-popups");
      await expect(page.getByRole("status")).toHaveCount(0);
      await expect(page.locator(`a[href="${address}"]`)).toHaveAttribute("rel", "noopener noreferrer");
    });
  } finally {
    other.close();
    other.closeAllConnections();
  }
  await test.step("text that begins with an address is shown as text", async () => {
    await site.api("PUT", "/option/", { key: "About", value: `${address} is our **site**` });
    await page.reload();
    await page.getByText("site", { exact: true }).waitFor();
    await expect(frame).toHaveCount(0);
    await site.api("PUT", "/option/", { key: "About", value: null });
  });
}

test("administrators read in About how to replace it", { tag: "@nightly" }, async ({ page }) => {
  // Public pages ask for the account only where someone has used the console before.
  await page.goto("/panel/dashboard");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await goTo(page, "/about");
  await expect(page.getByText(note)).toBeVisible();
});

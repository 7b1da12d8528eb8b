/** The public home page and About: what visitors see by default, and what an operator leaves out. */
import { addChannel } from "../support/channel-stock.ts";
import { expect, test } from "../support/test.ts";

test("the home page shows a call with its bill, providers, and no availability without calls", async ({
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
});

test("About explains the site to visitors, and only administrators read how to replace it", async ({
  page,
  site,
}) => {
  const note = /Only administrators see this line/;
  // Public pages ask for the account only where someone has used the console before.
  await page.goto("/panel/dashboard");
  await expect(page.getByRole("heading", { name: "Dashboard" })).toBeVisible();
  await page.goto("/about");
  await expect(page.getByText(note)).toBeVisible();
  const visitor = await site.open("/about", { guest: true });
  await expect(visitor.getByRole("heading", { name: "What a call costs" })).toBeVisible();
  await expect(visitor.getByText(note)).toHaveCount(0);
});

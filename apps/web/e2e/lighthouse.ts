/**
 * `pnpm lighthouse`: runs Lighthouse for the first pages on its own gateway. Fails below the required scores.
 * `--phone` measures a slow phone instead of a desktop.
 */
import { createServer } from "node:net";
import { parseArgs } from "node:util";
import lighthouse, { desktopConfig, type Flags } from "lighthouse";
import { chromium } from "playwright";
import { browserFlags, browserPath } from "./support/browser.ts";
import { install } from "./support/installation.ts";

const { values } = parseArgs({ options: { phone: { type: "boolean", default: false } } });
const wanted = 95;
const categories = ["performance", "accessibility", "best-practices"];
const pages = [
  { name: "home", path: "/", signedIn: false },
  { name: "sign-in", path: "/login", signedIn: false },
  { name: "dashboard", path: "/panel/dashboard", signedIn: true },
];

const port = await freePort();
const site = await install();
const browser = await chromium.launch({
  executablePath: browserPath(),
  args: [...browserFlags, `--remote-debugging-port=${port}`],
});
let low = false;
try {
  // The first request of a process reads files and opens connections, which visitors of a running site do not
  // wait for.
  for (const { path } of pages) await (await fetch(`${site.url}${path}`)).text();
  console.log(["page".padEnd(12), ...categories.map((category) => category.padStart(16))].join(""));
  for (const page of pages) {
    const flags: Flags = {
      port,
      logLevel: "error",
      onlyCategories: categories,
      ...(page.signedIn ? { extraHeaders: { cookie: `${site.session?.name}=${site.session?.value}` } } : {}),
    };
    const result = await lighthouse(site.url + page.path, flags, values.phone ? undefined : desktopConfig);
    if (!result) throw new Error(`Lighthouse says nothing of ${page.path}.`);
    const { lhr } = result;
    const marks = categories.map((category) => Math.round((lhr.categories[category]?.score ?? 0) * 100));
    low ||= marks.some((mark) => mark < wanted);
    console.log([page.name.padEnd(12), ...marks.map((mark) => String(mark).padStart(16))].join(""));
    for (const category of categories)
      for (const { id, weight } of lhr.categories[category]?.auditRefs ?? []) {
        const audit = lhr.audits[id];
        if (audit?.score === null || audit === undefined || audit.score >= 0.9 || weight === 0) continue;
        console.log(`  ${category}: ${audit.title}${audit.displayValue ? ` (${audit.displayValue})` : ""}`);
      }
  }
} finally {
  await browser.close();
  await site.stop();
}
if (low) {
  console.error(
    `Every mark should be at least ${wanted}. A busy machine costs performance: try again when it is quiet.`,
  );
  process.exitCode = 1;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}

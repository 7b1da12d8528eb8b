/**
 * Budgets of the time that the console needs. Other programs on the machine make wall time longer, so what is limited is
 * the CPU time of the page's main thread, with the best of three tries. `pnpm measure:console` measures both.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { contentOf, cpuMeter, loadedAhead, menuLinks, reactionsOf } from "./reactions.ts";
import { loadOf, observe, seenBy } from "./support/page-load.ts";
import { openSite, type Site } from "./support/site.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await fill();
});
afterAll(() => site.close());

const channels = 100;
/** Two pages of the log, and fewer than a user may make in a minute. */
const calls = 100;

async function fill(): Promise<void> {
  for (let count = 1; count <= channels; count += 1) {
    const channel = { type: 900, name: `Demo ${count}`, models: ["demo-chat"], groups: ["default"] };
    await site.api("POST", "/channel", channel);
    await site.api("POST", "/token", { name: `app-${count}` });
  }
  const { key } = await site.api<{ key: string }>("POST", "/token", { name: "first" });
  for (let count = 1; count <= calls; count += 1)
    await fetch(`${site.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
      body: JSON.stringify({
        model: "demo-chat",
        max_tokens: 1,
        messages: [{ role: "user", content: "Hello" }],
      }),
    }).then((answer) => answer.text());
  const counted = async () => (await site.api<{ request_count: number }>("GET", "/user/self")).request_count;
  await vi.waitFor(async () => expect(await counted()).toBe(calls), { timeout: 30_000, interval: 500 });
}

/** Runs a measurement up to three times, until its result is within the limit. Returns the best. */
async function bestOfThree<T>(
  measure: () => Promise<T>,
  cost: (found: T) => number,
  limit: number,
): Promise<T> {
  let best = await measure();
  for (let round = 1; round < 3 && cost(best) > limit; round += 1) {
    const found = await measure();
    if (cost(found) < cost(best)) best = found;
  }
  return best;
}

describe("a direct load", () => {
  /** The largest paint is within a second on an idle machine, where script and layout take most of the time. */
  const limit = { cpuMs: 700, cls: 0.01 };
  it.each(["dashboard", "analytics", "token", "log", "channel", "user", "pricing", "setting"])(
    "of /panel/%s takes at most 700 ms of CPU time, and nothing moves",
    async (id) => {
      const load = async () => {
        const page = await site.open("about:blank");
        const found = await loadOf(page, `${site.url}/panel/${id}`);
        await page.context().close();
        return found;
      };
      const { cpuMs, cls } = await bestOfThree(
        load,
        (found) => Math.max(found.cpuMs / limit.cpuMs, found.cls / limit.cls),
        1,
      );
      expect(cpuMs).toBeLessThanOrEqual(limit.cpuMs);
      expect(cls).toBeLessThanOrEqual(limit.cls);
    },
  );

  it("requests the rows of a list before the frame is drawn", async () => {
    const page = await site.open("about:blank");
    await page.goto(`${site.url}/panel/log`);
    await page.locator("tbody tr[data-row]").first().waitFor();
    const [rows, after] = await page.evaluate(() => {
      const startOf = (part: string) =>
        performance.getEntriesByType("resource").find(({ name }) => name.includes(part))?.startTime ?? 0;
      return [startOf("/api/log?"), startOf("/api/inbox/unread")];
    });
    expect(rows).toBeGreaterThan(0);
    // What the frame asks for after it has appeared.
    expect(rows).toBeLessThan(after ?? 0);
  });
});

describe("a click in the menu", () => {
  /** 300 and 120 ms on an idle machine. */
  const limits = { first: 300, again: 200 };
  it("shows each screen with little CPU time, and nothing moves", { timeout: 240_000 }, async () => {
    const slow = await bestOfThree(slowScreens, (found) => found.length, 0);
    expect(slow).toEqual([]);
  });

  async function slowScreens(): Promise<string[]> {
    const page = await site.open("about:blank", { loadsAhead: true });
    await observe(page);
    await page.goto(`${site.url}/panel/dashboard`);
    const meter = await cpuMeter(page);
    const [dashboard = "", ...others] = await menuLinks(page);
    await loadedAhead(page);
    const slow: string[] = [];
    for (const visit of ["first", "again"] as const)
      for (const name of [...others, dashboard]) {
        const before = (await seenBy(page)).cls;
        const { cpuMs } = await contentOf(page, meter, name);
        const moved = (await seenBy(page)).cls - before;
        if (cpuMs > limits[visit]) slow.push(`${name}, ${visit}: ${cpuMs.toFixed(0)} ms of CPU time`);
        if (moved > 0.01) slow.push(`${name}, ${visit}: a layout shift of ${moved.toFixed(3)}`);
      }
    await page.context().close();
    return slow;
  }
});

describe("a long list", () => {
  /** 100 ms of an idle machine's wall time; twice that in CPU time, which includes the work after the reaction. */
  const most = 200;
  it.each(["/panel/channel?size=100", "/panel/token?size=100", "/panel/log"])(
    "%s reacts to each key and click with at most 200 ms of CPU time",
    async (path) => {
      const slow = async () => {
        const page = await site.open(path, { loadsAhead: true });
        const rows = page.locator("tbody tr[data-row]");
        await rows.first().waitFor();
        if (path === "/panel/log") await page.getByRole("button", { name: "Load more", exact: true }).click();
        await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(100);
        await loadedAhead(page);
        const steps = await reactionsOf(page, await cpuMeter(page));
        await page.context().close();
        expect(steps.length).toBeGreaterThan(4);
        return steps.filter(({ cpuMs }) => cpuMs > most);
      };
      expect(await bestOfThree(slow, (steps) => steps.length, 0)).toEqual([]);
    },
  );

  it("keeps the style of its cells when a dialog, the pointer or the focus comes and goes", async () => {
    const page = await site.open("/panel/channel?size=100");
    await page.locator("tbody tr[data-row]").first().waitFor();
    // An inherited property of `body` would change every element.
    const inherited = await page.evaluate(() => {
      document.body.style.setProperty("--removed-body-scroll-bar-size", "15px");
      const cell = document.querySelector("td");
      return cell === null
        ? "no cell"
        : getComputedStyle(cell).getPropertyValue("--removed-body-scroll-bar-size");
    });
    expect(inherited).toBe("");
  });

  it("has no rule that names elements below :hover, :focus-within or :last-child by their tag alone", () => {
    const assets = new URL("../dist/assets/", import.meta.url);
    const rules = readdirSync(assets)
      .filter((name) => name.endsWith(".css"))
      .flatMap((name) => readFileSync(new URL(name, assets), "utf8").match(/[^{}]+(?=\{)/g) ?? [])
      .flatMap((selectors) => selectors.split(","));
    expect(rules.length).toBeGreaterThan(1_000);
    const costly =
      /:(hover|focus-within|last-child|only-child)(?![^ >~+]*:where)[^ >~+]*[ >~+]+(\S*[ >~+])*(td|th|tr|svg|span|div)(:[\w-]+)?$/;
    expect(rules.filter((rule) => costly.test(rule.trim()))).toEqual([]);
  });

  it("has no rule for any second child on a wide screen, which a dialog would compute for every element", () => {
    const styles = new URL("../src/", import.meta.url);
    const found = readdirSync(styles, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".css"))
      .flatMap((name) => {
        const css = readFileSync(new URL(name, styles), "utf8");
        // Lists are short on a phone.
        const wide = css.replaceAll(/@media \(max-width[^{]*\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g, "");
        return (wide.match(/[ >]:nth-[^{]*(?=\{)/g) ?? []).map((rule) => `${name}: ${rule}`);
      });
    expect(found).toEqual([]);
  });
});

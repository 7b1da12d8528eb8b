import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createParts, type Component } from "./parts.ts";

const quick = { closeMs: 50, closeAllMs: 100 };

/** Creates parts that record their events. */
function recorder() {
  const events: string[] = [];
  const part = (name: string, more: Partial<Component<object, string>> = {}): Component<object, string> => ({
    name,
    open() {
      events.push(`open ${name}`);
      return name;
    },
    close(opened) {
      events.push(`close ${opened}`);
    },
    ...more,
  });
  const errors: string[] = [];
  const parts = createParts((name, error) => errors.push(`${name}: ${String(error)}`), quick);
  return { events, errors, part, parts };
}

describe("parts", () => {
  it("close in reverse order, each once", async () => {
    const { events, parts, part } = recorder();
    for (const name of ["a", "b", "c"]) await parts.open(part(name), {});
    await parts.close();
    await parts.close();
    expect(events).toEqual(["open a", "open b", "open c", "close c", "close b", "close a"]);
  });

  it("close what is open when one fails to open", async () => {
    const { events, parts, part } = recorder();
    const failing = part("c", { open: () => Promise.reject(new Error("no port")) });
    const start = async () => {
      for (const each of [part("a"), part("b"), failing, part("d")]) await parts.open(each, {});
    };
    await expect(start()).rejects.toThrow("no port");
    await parts.close();
    expect(events).toEqual(["open a", "open b", "close b", "close a"]);
  });

  it("close even if one fails, throws or never ends, and report which", async () => {
    const { events, errors, parts, part } = recorder();
    await parts.open(part("a"), {});
    await parts.open(part("b", { close: () => Promise.reject(new Error("broken")) }), {});
    await parts.open(
      part("c", {
        close: () => {
          throw new Error("thrown");
        },
      }),
      {},
    );
    await parts.open(part("d", { close: () => new Promise(() => {}) }), {});
    await parts.close();
    expect(events.at(-1)).toBe("close a");
    expect(errors.map((error) => error.split(":")[0])).toEqual(["d", "c", "b"]);
  });

  it("wait for a patient part for any time", async () => {
    const { errors, parts, part } = recorder();
    let ended = false;
    const slow = part("database server", {
      patient: true,
      async close() {
        await sleep(200);
        ended = true;
      },
    });
    await parts.open(slow, {});
    await parts.close();
    expect(ended).toBe(true);
    expect(errors).toEqual([]);
  });
});

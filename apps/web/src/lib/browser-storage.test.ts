import { afterEach, describe, expect, it, vi } from "vitest";
import { clearStorage, writeStorage, readStorage } from "./browser-storage.ts";

afterEach(() => vi.unstubAllGlobals());

/** The storage of a browser in which these methods fail. */
function storageWithout(...methods: (keyof Storage)[]): Record<string, unknown> {
  const values = new Map<string, string>();
  const storage: Record<string, unknown> = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => values.set(key, value),
    removeItem: (key: string) => values.delete(key),
  };
  for (const method of methods)
    storage[method] = () => {
      throw new DOMException("It is full.", "QuotaExceededError");
    };
  return storage;
}

describe("the storage of the browser", () => {
  it("returns what was stored", () => {
    vi.stubGlobal("window", { localStorage: storageWithout() });
    writeStorage("theme", "dark");
    expect(readStorage("theme")).toBe("dark");
    writeStorage("theme", null);
    expect(readStorage("theme")).toBeNull();
  });

  it("stores nothing and fails nothing if it is full", () => {
    vi.stubGlobal("window", { localStorage: storageWithout("setItem") });
    writeStorage("theme", "dark");
    expect(readStorage("theme")).toBeNull();
  });

  it("stores nothing and fails nothing if it is switched off", () => {
    const denied = () => {
      throw new DOMException("It is switched off.", "SecurityError");
    };
    const window = Object.defineProperty({}, "localStorage", { get: denied });
    vi.stubGlobal("window", window);
    writeStorage("theme", "dark");
    expect(readStorage("theme")).toBeNull();
    expect(() => clearStorage("draft:")).not.toThrow();
  });
});

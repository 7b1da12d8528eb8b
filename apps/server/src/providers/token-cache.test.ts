import { describe, expect, it } from "vitest";
import { createTokenCache } from "./token-cache.ts";

describe("the token cache", () => {
  it("keeps tokens of different names separate", async () => {
    const cache = createTokenCache(() => 0);
    const issue = (token: string) => () => Promise.resolve({ token, expiresAt: 1_000_000 });
    expect(await cache.get("a", issue("one"))).toBe("one");
    expect(await cache.get("b", issue("two"))).toBe("two");
    expect(await cache.get("a", issue("three"))).toBe("one");
  });

  it("has a maximum size", async () => {
    const cache = createTokenCache(() => 0);
    let issued = 0;
    const issue = () => Promise.resolve({ token: String((issued += 1)), expiresAt: 1_000_000 });
    for (let index = 0; index <= 1_000; index += 1) await cache.get(`name ${index}`, issue);
    expect(await cache.get("name 1000", issue)).toBe("1001");
    expect(await cache.get("name 0", issue)).toBe("1002");
  });
});

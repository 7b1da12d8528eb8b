import { ProviderInfo } from "@gateway/shared/provider";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { dialects } from "#dialects/index.ts";
import { describeProvider, openProviders } from "./index.ts";

const providers = [...openProviders("http://127.0.0.1:1").values()];

describe("the registry of providers", () => {
  it("has every type and every id once", () => {
    expect(new Set(providers.map((provider) => provider.type)).size).toBe(providers.length);
    expect(new Set(providers.map((provider) => provider.id)).size).toBe(providers.length);
  });

  it("offers the demo vendor only while its server runs", () => {
    expect([...openProviders().values()].some((provider) => provider.id === "demo")).toBe(false);
  });
});

describe.each(providers.map((provider) => [provider.id, provider] as const))(
  "provider %s",
  (id, provider) => {
    it("lives where its file says", async () => {
      const file = new URL(`./${id}.ts`, import.meta.url).href;
    await expect(import(/* @vite-ignore */ file)).resolves.toHaveProperty(id);
    });

    it("has a secure address, or leaves it to the operator", () => {
      if (provider.baseUrl === "") return;
      const url = new URL(provider.baseUrl);
      expect(id === "demo" ? url.hostname : url.protocol).toBe(id === "demo" ? "127.0.0.1" : "https:");
      expect(provider.baseUrl.endsWith("/")).toBe(false);
    });

    it("speaks dialects that exist", () => {
      for (const dialect of provider.dialects) expect(dialects[dialect]).toBeDefined();
    });

    it("sends its credential in a header, and only there", () => {
      const headers = provider.headers("secret-key");
      expect(Object.values(headers).some((value) => value.includes("secret-key"))).toBe(true);
      expect(Object.keys(headers).every((name) => name === name.toLowerCase())).toBe(true);
    });

    it("can be described to the console", () => {
      expect(z.safeParse(ProviderInfo, describeProvider(provider)).success).toBe(true);
    });
  },
);

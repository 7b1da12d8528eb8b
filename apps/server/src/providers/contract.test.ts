import { generateKeyPairSync } from "node:crypto";
import { ProviderInfo } from "@gateway/shared/channels/provider";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ProviderWire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { demo } from "./definitions/demo.ts";
import { outgoing } from "./outgoing.ts";
import {
  dialectsFor,
  type RequestShape,
  type Endpoint,
  type Io,
  type Outgoing,
  type Provider,
} from "./provider.ts";
import { describeProvider, openProviders } from "./registry.ts";
import { createTokenCache } from "./token-cache.ts";

const providers = [...openProviders().values(), demo("http://127.0.0.1:1")];

/** All types that were ever assigned and not withdrawn. */
const known = [
  1, 3, 8, 11, 14, 15, 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
  40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56,
];

const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
  type: "pkcs8",
  format: "pem",
});
const keys: Record<string, string> = {
  kling: "access-key|secret-key",
  bedrock: "us-east-1|AKIDEXAMPLE|secret-key",
  cloudflare: "account|secret-key",
  vertex: JSON.stringify({ client_email: "a@b.iam", private_key: privateKey, project_id: "project" }),
};

const others: Record<string, string> = { "azure-speech": "eastasia" };

const io: Io = {
  fetch: () => Promise.resolve({ status: 200, text: '{"access_token":"secret-key","expires_in":3600}' }),
  now: () => Date.UTC(2026, 10, 21),
  tokens: createTokenCache(() => Date.UTC(2026, 10, 21)),
};

const paths: Partial<Record<Endpoint, string>> = {
  completions: "/v1/completions",
  embeddings: "/v1/embeddings",
  moderations: "/v1/moderations",
  images: "/v1/images/generations",
  audio: "/v1/audio/speech",
  rerank: "/v1/rerank",
  suno: "/suno/submit/music",
  kling: "/v1/videos/text2video",
  midjourney: "/mj/submit/imagine",
};

async function ask(provider: Provider, path: string, call: Partial<RequestShape>): Promise<Outgoing> {
  const sender = { provider, baseUrl: provider.baseUrl || "https://upstream.example", headers: {} };
  const full = {
    model: "some/model:1",
    stream: false,
    other: others[provider.id] ?? "",
    plugin: {},
    ...call,
  };
  const draft = { method: "POST" as const, path, headers: { accept: "*/*" }, body: "{}" };
  return outgoing(sender, keys[provider.id] ?? "secret-key", full, draft, () => io);
}

/** Returns the provider's own wire formats that its models use. */
function wiresOf(provider: Provider): ProviderWire[] {
  const models = ["m", ...provider.models];
  const wires = models.map((model) => provider.wire?.({ model, stream: false, other: "", plugin: {} }));
  return [...new Set(wires)].filter((wire) => wire !== undefined);
}

/** Returns one call per dialect or own wire format, and one per other endpoint. */
function samples(provider: Provider): Promise<Outgoing>[] {
  const chats = provider.endpoints.includes("chat") ? provider.dialects : [];
  const model = provider.testModel || "m";
  return [
    ...[true, false].flatMap((stream) =>
      wiresOf(provider).map((wire) => ask(provider, wire.path({ model, stream }), { model, stream })),
    ),
    ...chats.flatMap((dialect) =>
      [true, false].map((stream) => {
        return ask(provider, dialects[dialect].path({ model, stream }), { model, stream, dialect });
      }),
    ),
    ...provider.endpoints.flatMap((endpoint) => {
      const path = paths[endpoint];
      return path === undefined ? [] : [ask(provider, path, {})];
    }),
  ];
}

describe("the registry of providers", () => {
  it("has no duplicate types or ids", () => {
    expect(new Set(providers.map((provider) => provider.type)).size).toBe(providers.length);
    expect(new Set(providers.map((provider) => provider.id)).size).toBe(providers.length);
  });

  it("contains every type that was ever assigned", () => {
    const types = providers.map((provider) => provider.type).filter((type) => type < 900);
    expect(types.sort((a, b) => a - b)).toEqual(known);
    expect(providers.filter((provider) => provider.endpoints.length === 0)).toEqual([]);
  });

  it("offers the demo provider only while its server runs", () => {
    expect([...openProviders().values()].some((provider) => provider.id === "demo")).toBe(false);
  });
});

describe.each(providers.map((provider) => [provider.id, provider] as const))(
  "provider %s",
  (id, provider) => {
    it("is defined where its file name indicates", async () => {
      const name = id.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
      const files = ["", "cloud/", "local/", "media/"].map((folder) => `./definitions/${folder}${id}.ts`);
      const found = await Promise.allSettled(
        files.map((file) => import(/* @vite-ignore */ new URL(file, import.meta.url).href)),
      );
      const modules = found.flatMap((each) => (each.status === "fulfilled" ? [each.value as object] : []));
      expect(modules).toHaveLength(1);
      expect(modules[0]).toHaveProperty(name);
    });

    it("has a secure base URL, or leaves it to an administrator", () => {
      if (provider.baseUrl === "") return;
      const url = new URL(provider.baseUrl.replaceAll(/[{}]/g, ""));
      expect(id === "demo" ? url.hostname : url.protocol).toBe(id === "demo" ? "127.0.0.1" : "https:");
      expect(provider.baseUrl.endsWith("/")).toBe(false);
    });

    it("has known dialects, and some for every model", () => {
      for (const dialect of provider.dialects) expect(dialects[dialect]).toBeDefined();
      for (const model of ["", "gpt-5", "claude-haiku-4-5", "gemini-2.5-flash", ...provider.models]) {
        const spoken = dialectsFor(provider, { model, stream: false, other: "", plugin: {} });
        expect(provider.dialects).toEqual(expect.arrayContaining([...spoken]));
      }
    });

    it("uses absolute URLs that do not contain the credential", async () => {
      for (const request of await Promise.all(samples(provider))) {
        expect(request.url).not.toMatch(/[{}]|secret-key|undefined/);
        expect(request.url.replace(/^https?:\/\//, "")).not.toMatch(/\/\/|\?.*\?/);
        expect(() => new URL(request.url)).not.toThrow();
      }
    });

    it("sends its credential in headers with lower-case names", async () => {
      for (const { headers } of await Promise.all(samples(provider))) {
        const proven = /secret-key|AWS4-HMAC-SHA256|Bearer eyJ/;
        expect(Object.values(headers).some((value) => proven.test(value))).toBe(true);
        expect(Object.keys(headers).every((name) => name === name.toLowerCase())).toBe(true);
      }
    });

    it("sends the console only data that it can display", () => {
      expect(z.safeParse(ProviderInfo, describeProvider(provider)).success).toBe(true);
    });

    it("returns the same body in any dialect when there is nothing to adjust", () => {
      for (const dialect of provider.dialects) {
        if (provider.adjustRequest === undefined || dialect === "anthropic") continue;
        const body = { model: "m", messages: [{ role: "user", content: "Hi" }] };
        const call: RequestShape = { model: "m", stream: true, dialect, other: "", plugin: {} };
        expect(provider.adjustRequest(body, call)).toBe(body);
      }
    });

    it("encodes a simple request in its own wire formats, and reports dropped fields", () => {
      const hi = { role: "user" as const, parts: [{ type: "text" as const, text: "Hi there" }] };
      const request = { model: "m", stream: true, messages: [hi], logprobs: true, n: 2 };
      for (const wire of wiresOf(provider)) {
        const { body, dropped } = wire.encodeRequest(request);
        expect(JSON.stringify(body)).toContain("Hi there");
        expect(dropped.sort()).toEqual(["logprobs", "n"]);
        expect(provider.adjustRequest?.(body, { ...request, other: "", plugin: {} }) ?? body).toBe(body);
        expect(wire.decodeError(503, "<html>", {})).toMatchObject({ kind: "overloaded", status: 503 });
        const ended = wire.decodeStream().end();
        expect(ended.at(-1)).toMatchObject({ type: "error", error: { kind: "network" } });
      }
    });

    it("accepts an empty plugin, which a new channel has", () => {
      expect(provider.plugin?.safeParse({}).success ?? true).toBe(true);
    });
  },
);

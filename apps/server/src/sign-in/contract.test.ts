import { IdentityProviderId } from "@gateway/shared/accounts/sign-in";
import { defaultSettings, secretSettings, type Settings } from "@gateway/shared/site/settings";
import type { FastifyReply, FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { createIdentityClients } from "./clients.ts";
import { githubAt } from "./github.ts";
import { identityProviders } from "./index.ts";
import { type Fetch, isAvailable } from "./provider.ts";

const providers = Object.entries(identityProviders);
const unreachableFetch: Fetch = () => Promise.reject(new TypeError("no network here"));
const filled = (value: string): Settings => {
  const settings: Record<string, unknown> = { ...defaultSettings };
  for (const { enabledBy, needs, reads = [] } of Object.values(identityProviders)) {
    settings[enabledBy] = true;
    for (const key of [...needs, ...reads]) settings[key] = value;
  }
  return settings as Settings;
};

describe("the registry of identity providers", () => {
  it("contains the providers that the console lists, and no other", () => {
    expect(providers.map(([id]) => id).toSorted()).toEqual(IdentityProviderId.options.toSorted());
  });
});

describe.each(providers)("identity provider %s", (id, provider) => {
  it("is in the file of its name", async () => {
    expect(provider.id).toBe(id);
    const file = new URL(`./${id}.ts`, import.meta.url).href;
    await expect(import(/* @vite-ignore */ file)).resolves.toBeDefined();
  });

  it("is off by default, and offered only when enabled and filled in", () => {
    expect(isAvailable(provider, defaultSettings)).toBe(false);
    expect(isAvailable(provider, { ...filled("x"), [provider.enabledBy]: false })).toBe(false);
    expect(isAvailable(provider, filled("x"))).toBe(true);
    for (const key of provider.needs) {
      expect(isAvailable(provider, { ...filled("x"), [key]: " " }), key).toBe(false);
    }
  });

  it("declares every secret setting as secret", () => {
    const keys = [...provider.needs, ...(provider.reads ?? [])];
    const secret = keys.filter((key) => /Secret|Token/.test(key));
    expect(secret.length).toBeGreaterThan(0);
    for (const key of secret) expect(secretSettings).toContain(key);
  });

  it("reports that it could not be reached, without revealing a secret", async () => {
    const settings = filled("http://127.0.0.1:9/hush-hush");
    const departure = { state: "s", nonce: "n", verifier: "v".repeat(43) };
    const visit = {
      request: { query: { code: "c", state: "s" } } as FastifyRequest,
      reply: { clearCookie: () => undefined } as unknown as FastifyReply,
      redirectUri: () => "http://x/y",
      issueState: async () => departure,
      checkState: async () => ({ ...departure, code: "c", iss: undefined }),
    };
    // The OAuth plugin requests GitHub's token with its own HTTP client.
    const there =
      id === "github" ? githubAt({ web: "http://127.0.0.1:9", api: "http://127.0.0.1:9" }) : provider;
    const requested = there.open(settings, unreachableFetch).then((client) => client.identify(visit));
    const failure: unknown = await requested.then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: "upstream_failed" });
    expect((failure as Error).message).not.toContain("hush-hush");
  });
});

describe("opened providers", () => {
  it("are kept until a setting they were opened with changes, or an hour has passed", async () => {
    let now = 0;
    const clients = createIdentityClients(unreachableFetch, () => now);
    const { lark } = identityProviders;
    const first = await clients.of(lark, filled("one"));
    expect(await clients.of(lark, { ...filled("one"), SystemName: "Other" })).toBe(first);
    const second = await clients.of(lark, filled("two"));
    expect(second).not.toBe(first);
    now += 3_600_001;
    expect(await clients.of(lark, filled("two"))).not.toBe(second);
  });

  it("are opened again after a failure", async () => {
    let calls = 0;
    const clients = createIdentityClients(() => {
      calls += 1;
      return Promise.reject(new TypeError("down"));
    });
    for (let round = 1; round <= 2; round += 1) {
      const opening = clients.of(identityProviders.oidc, filled("http://127.0.0.1:9"));
      await expect(opening).rejects.toMatchObject({ code: "upstream_failed" });
      expect(calls).toBe(round);
    }
  });
});

import type { SiteStatus } from "@gateway/shared/site/status";
import { afterEach, expect, it, vi } from "vitest";
import { http } from "./http.ts";
import { redirectToProvider, offeredProviders } from "./sign-in.ts";

const site = {
  github_oauth: true,
  github_client_id: "client-of-github",
  lark_login: false,
  lark_client_id: "app-of-lark",
  wechat_login: true,
  oidc_auth: false,
} as SiteStatus;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Returns the address of the provider's page to which the browser is redirected. */
async function addressOf(provider: "github" | "lark" | "oidc" | "oidc:acme", answer: string): Promise<URL> {
  const assign = vi.fn<(url: URL) => void>();
  vi.stubGlobal("window", { location: { assign } });
  vi.stubGlobal("document", { baseURI: "https://gateway.example/base/" });
  vi.spyOn(http, "get").mockResolvedValue(answer);
  await redirectToProvider(provider, site);
  return assign.mock.calls[0]![0];
}

it("the sign-in page offers the enabled providers only", () => {
  expect(offeredProviders(site)).toEqual(["github", "wechat"]);
  expect(offeredProviders(undefined)).toEqual([]);
});

it("the sign-in page offers the providers of organizations first", async () => {
  const offered = { ...site, identity_providers: [{ slug: "acme", name: "Acme", preset: "okta" }] };
  expect(offeredProviders(offered)).toEqual(["oidc:acme", "github", "wechat"]);
  expect((await addressOf("oidc:acme", "https://acme.example/auth")).href).toBe("https://acme.example/auth");
  expect(http.get).toHaveBeenCalledWith("/oauth/oidc/acme/endpoint", expect.anything());
});

it("GitHub gets its client id, the scope and the state of the server", async () => {
  const url = await addressOf("github", "the-state");
  expect(url.origin + url.pathname).toBe("https://github.com/login/oauth/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: "client-of-github",
    scope: "user:email",
    state: "the-state",
  });
});

it("Lark gets its app id, the state, and an address below the base path to return to", async () => {
  const url = await addressOf("lark", "the-state");
  expect(url.origin + url.pathname).toBe("https://open.feishu.cn/open-apis/authen/v1/authorize");
  expect(Object.fromEntries(url.searchParams)).toEqual({
    app_id: "app-of-lark",
    redirect_uri: "https://gateway.example/base/oauth/lark",
    state: "the-state",
  });
});

it("the address of an OpenID provider is that of the server, and never a script", async () => {
  expect((await addressOf("oidc", "https://id.example/auth?state=s")).href).toBe(
    "https://id.example/auth?state=s",
  );
  await expect(addressOf("oidc", "javascript:alert(1)")).rejects.toThrow("javascript:");
});

/** Sign-in with an external account: offered providers, redirect and callback. */
import type { Self } from "@gateway/shared/accounts/session";
import type { IdentityProviderId, IdentityProviderKey } from "@gateway/shared/accounts/sign-in";
import type { SiteStatus } from "@gateway/shared/site/status";
import { writeStorage, readStorage } from "./browser-storage.ts";
import { loadErrorTexts } from "./errors/late-errors.ts";
import { ApiError, asSent, http } from "./http.ts";

/** Returns the offered providers in the order of their buttons. */
export function offeredProviders(site: SiteStatus | undefined): IdentityProviderKey[] {
  if (!site) return [];
  const offers: Record<IdentityProviderId, boolean> = {
    github: site.github_oauth,
    wechat: site.wechat_login,
    lark: site.lark_login,
    oidc: site.oidc_auth,
  };
  const builtIn = (Object.keys(offers) as IdentityProviderId[]).filter((id) => offers[id]);
  return [...addedProviders(site).map(({ slug }) => `oidc:${slug}` as const), ...builtIn];
}

/** Returns the providers that root has added. */
export function addedProviders(site: Pick<SiteStatus, "identity_providers"> | undefined) {
  // A status that an older version has stored in the browser lacks them.
  const given: SiteStatus["identity_providers"] | undefined = site?.identity_providers;
  return given ?? [];
}

type RedirectingProvider = Exclude<IdentityProviderKey, "wechat">;

/** Redirects to the provider's page; WeChat has none. Throws when the server returns no state. */
export async function redirectToProvider(provider: RedirectingProvider, site: SiteStatus) {
  const url = new URL(await authorizePage(provider, site));
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new Error(url.protocol);
  window.location.assign(url);
}

async function authorizePage(provider: RedirectingProvider, site: SiteStatus) {
  if (provider === "oidc") return http.get("/oauth/endpoint", asSent<string>());
  if (provider.startsWith("oidc:"))
    return http.get(`/oauth/oidc/${provider.slice("oidc:".length)}/endpoint`, asSent<string>());
  const state = await newState();
  if (provider === "github") {
    const query = { client_id: site.github_client_id, state, scope: "user:email" };
    return `https://github.com/login/oauth/authorize?${new URLSearchParams(query).toString()}`;
  }
  const redirect_uri = new URL("oauth/lark", document.baseURI).href;
  const query = new URLSearchParams({ redirect_uri, app_id: site.lark_client_id, state });
  return `https://open.feishu.cn/open-apis/authen/v1/authorize?${query.toString()}`;
}

const newState = () => http.get("/oauth/state", asSent<string>());

/** The signed-in account; null when an account was bound and the session stays. */
const arrival = asSent<Self | null>();

/** @param back query parameters that the provider added to our address */
export async function finishProviderSignIn(
  provider: string,
  back: URLSearchParams,
  aff: string,
): Promise<Self | null> {
  const code = back.get("code");
  const state = back.get("state");
  if (!code || !state) {
    await loadErrorTexts();
    throw new ApiError(403, { code: "forbidden", params: { reason: "sign_in_cancelled" } });
  }
  return http.get(`/oauth/${provider}`, arrival, { code, state, aff, iss: back.get("iss") });
}

/** The second step, for an account with a second factor. */
export const finishWithCode = (code: string) => http.post("/oauth/code", asSent<Self>(), { code });

export function requiresCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === "totp_required";
}

/** Signs in with the code that the official account sent. */
export async function signInWithWeChatCode(code: string, aff: string): Promise<Self | null> {
  return http.get("/oauth/wechat", arrival, { code, aff });
}

/** Returns whether a retry may help: a rejection is final, provider and connection errors are not. */
export function mayPass(error: Error): boolean {
  if (error instanceof ApiError) return error.status >= 500 || error.code === "";
  return error instanceof TypeError;
}

const nextKey = "after-sign-in";

/** Stores the target page before the redirect to the provider. */
export function storeNextPage(next: string): void {
  writeStorage(nextKey, next, "sessionStorage");
}

export function readNextPage(): string {
  return readStorage(nextKey, "sessionStorage") ?? "/panel/dashboard";
}

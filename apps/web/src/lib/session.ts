/** The signed-in user. The server decides; local storage only bridges the first paint. */
import {
  type Action,
  type AdminArea,
  type AdminLevel,
  type AdminRights,
  can,
  mayEnter,
} from "@gateway/shared/accounts/roles";
import type { Self } from "@gateway/shared/accounts/session";
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { hasLeaveGuard } from "./address/history.ts";
import { clearStorage, writeStorage, readStorage } from "./browser-storage.ts";
import { ApiError, asSent, http } from "./http.ts";
import { offerLanguage } from "./i18n.ts";

const storageKey = "user";
type StoredUser = Pick<Self, "role" | "permissions" | "avatar_url" | "username">;

export const selfQuery = queryOptions({
  queryKey: ["self"],
  queryFn: async ({ client }): Promise<Self | null> => {
    try {
      const self = await http.get("/user/self", asSent<Self>());
      remember(self);
      return self;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401)
        return hasLeaveGuard() ? cachedSelf(client) : null;
      throw error;
    }
  },
  staleTime: 30_000,
});

/** Returns the cached account of before this request. */
function cachedSelf(client: QueryClient): Self | null {
  return client.getQueryData<Self | null>(["self"]) ?? null;
}

function remember(self: Self): void {
  const stored: StoredUser = {
    role: self.role,
    permissions: self.permissions,
    avatar_url: self.avatar_url,
    username: self.username,
  };
  writeStorage(storageKey, JSON.stringify(stored));
}

/** Returns the remembered rights of the last user in this browser; a guess until the server responds. */
export function readRememberedRights(): AdminRights {
  try {
    const { role, permissions } = JSON.parse(readStorage(storageKey) ?? "{}") as Partial<StoredUser>;
    return { role: role ?? 0, permissions: permissions ?? null };
  } catch {
    return { role: 0, permissions: null };
  }
}

/** Returns whether this browser was signed in last time, so that it is worth waiting for the server. */
export function wasSignedIn(): boolean {
  return readStorage(storageKey) !== null;
}

/**
 * Returns the account; null when signed out, undefined while unknown. Sends no request for visitors who never
 * signed in here; the console's guard does.
 */
export function useSelf(): Self | null | undefined {
  // The component that shows the failure also retries.
  return useQuery({ ...selfQuery, enabled: wasSignedIn(), retryOnMount: false }).data;
}

/** Returns whether the signed-in user may perform the action. Only hides controls; the server enforces it. */
export function useCan(action: Action): boolean {
  const self = useSelf();
  return self ? can(self.role, action) : false;
}

/** Returns the same for an area of administration. */
export function useMayEnter(area: AdminArea, level: AdminLevel = "view"): boolean {
  const self = useSelf();
  return self ? mayEnter(self, area, level) : false;
}

/** Begins the session of someone who has just signed in. The account's language applies if the browser has no preference. */
export function startSession(client: QueryClient, self: Self): void {
  void offerLanguage(self.language);
  openSession(client, self);
}

export function openSession(client: QueryClient, self: Self): void {
  remember(self);
  // Ignores the response to a request that was sent before the user signed in.
  void client.cancelQueries({ queryKey: selfQuery.queryKey });
  client.setQueryData(selfQuery.queryKey, self);
}

/** Removes the stored user. The next page load starts signed out; this page does not change. */
export function forgetUser(): void {
  writeStorage(storageKey, null);
}

/** Removes the account and all data fetched with its session. */
export function clearSession(client: QueryClient): void {
  forgetUser();
  const wasOpen = Boolean(client.getQueryData(selfQuery.queryKey));
  client.setQueryData(selfQuery.queryKey, null);
  if (!wasOpen) return;
  const stays = new Set<unknown>(["self", "status"]);
  client.removeQueries({ predicate: (query) => !stays.has(query.queryKey[0]) });
}

/** Signs out and loads a fresh page, so that no data of the user stays in memory. */
export async function signOut(): Promise<void> {
  await http.get("/user/logout", asSent<null>());
  forgetUser();
  // Chats of the playground: the next user of this browser must not read them.
  clearStorage("playground:");
  window.location.replace(new URL("login", document.baseURI));
}

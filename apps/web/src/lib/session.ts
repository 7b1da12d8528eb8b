/** Who is signed in. The server's answer decides; local storage only bridges the first paint. */
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
import { isLeavingGuarded } from "./history.ts";
import { ApiError, asSent, http } from "./http.ts";
import { forgetAll, keep, kept } from "./stored.ts";

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
      if (error instanceof ApiError && error.status === 401) return isLeavingGuarded() ? known(client) : null;
      throw error;
    }
  },
  staleTime: 30_000,
});

/** Who was signed in before the server was asked. */
function known(client: QueryClient): Self | null {
  return client.getQueryData<Self | null>(["self"]) ?? null;
}

function remember(self: Self): void {
  const stored: StoredUser = {
    role: self.role,
    permissions: self.permissions,
    avatar_url: self.avatar_url,
    username: self.username,
  };
  keep(storageKey, JSON.stringify(stored));
}

/** What the person who was signed in here last may do; a guess until the server answers. */
export function rememberedRights(): AdminRights {
  try {
    const { role, permissions } = JSON.parse(kept(storageKey) ?? "{}") as Partial<StoredUser>;
    return { role: role ?? 0, permissions: permissions ?? null };
  } catch {
    return { role: 0, permissions: null };
  }
}

/** True when this browser was signed in the last time: worth waiting for the server's word. */
export function wasSignedIn(): boolean {
  return kept(storageKey) !== null;
}

/**
 * Signed in: the account. Not: null. Not known: undefined. Does not ask the server about visitors who never
 * signed in here; the console's own guard does.
 */
export function useSelf(): Self | null | undefined {
  // Whoever shows the failure also tries again.
  return useQuery({ ...selfQuery, enabled: wasSignedIn(), retryOnMount: false }).data;
}

/** May the signed-in person do this? The server decides anyway; this only hides. */
export function useCan(action: Action): boolean {
  const self = useSelf();
  return self ? can(self.role, action) : false;
}

/** The same for what administrators may be kept out of. */
export function useMayEnter(area: AdminArea, level: AdminLevel = "view"): boolean {
  const self = useSelf();
  return self ? mayEnter(self, area, level) : false;
}

export function openSession(client: QueryClient, self: Self): void {
  remember(self);
  client.setQueryData(selfQuery.queryKey, self);
}

/** The next page that is loaded knows of no one; this one does not change. */
export function forgetUser(): void {
  keep(storageKey, null);
}

/** Forgets the account and everything that was fetched in its name. */
export function clearSession(client: QueryClient): void {
  forgetUser();
  const wasOpen = Boolean(client.getQueryData(selfQuery.queryKey));
  client.setQueryData(selfQuery.queryKey, null);
  if (!wasOpen) return;
  const stays = new Set<unknown>(["self", "status"]);
  client.removeQueries({ predicate: (query) => !stays.has(query.queryKey[0]) });
}

/** Ends with a fresh page, so that nothing fetched in this person's name stays in memory. */
export async function signOut(): Promise<void> {
  await http.get("/user/logout", asSent<null>());
  forgetUser();
  // Chats of the playground: whoever uses this browser next must not read them.
  forgetAll("playground:");
  window.location.replace(new URL("login", document.baseURI));
}

import { plainReason } from "@gateway/shared/reasons";
import type { Db } from "#platform/database/db.ts";
import type { IdentityProvider } from "#platform/prisma/client.ts";
import { raiseNotice } from "./notices.ts";

/** Changes of directories that were refused on this node because they are not valid, such as a person without a name. */
export interface InvalidChanges {
  /** @param request method and path, without values */
  note(provider: Pick<IdentityProvider, "slug" | "name">, request: string, detail: string): void;
  /** Whether there was one within the last hour. */
  areRecent(): boolean;
}

/** A directory repeats its changes for hours. Operators are notified once in this time. */
const RECENT_MS = 3_600_000;

export function watchInvalidChanges(db: Db, onError: (error: unknown) => void): InvalidChanges {
  /** When operators were notified last, by directory. */
  const raisedAt = new Map<string, number>();
  let lastAt = -Infinity;
  return {
    note({ slug, name }, request, detail) {
      lastAt = performance.now();
      if (lastAt - (raisedAt.get(slug) ?? -Infinity) < RECENT_MS) return;
      raisedAt.set(slug, lastAt);
      raiseNotice(db, {
        event: "scim-refused",
        topic: `scim:${slug}`,
        facts: { name, request },
        reason: plainReason(detail),
      }).catch(onError);
    },
    areRecent: () => performance.now() - lastAt < RECENT_MS,
  };
}

/**
 * Ids of the sessions of MCP clients. An id is sealed: any node reads from it which token and bundle it was made for, and until
 * when it is valid, so no node keeps a list.
 */
import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { ActiveBundle } from "#domain/mcp/directory.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import { notFound } from "#errors.ts";
import { currentTime } from "#platform/clock.ts";
import type { Secrets } from "#platform/secrets.ts";

const LIFETIME_MS = 24 * 60 * 60_000;
const CONTEXT = "mcp-session";
const MOST_ID_CHARS = 1_000;
/** Sessions that clients have ended, of which each node remembers the latest. */
const MOST_ENDED = 10_000;

const Sealed = z.object({ id: z.string(), token: z.int(), bundle: z.string(), until: z.number() });

export interface ClientSessions {
  /** Returns the id of a new session for its client. */
  open(caller: Pick<Caller, "tokenId">, bundle: ActiveBundle): string;
  /** Returns the inner name of a session. Throws `not_found` for one that is not the caller's, or has ended. */
  read(presented: string, caller: Pick<Caller, "tokenId">, bundle: ActiveBundle): string;
  /** Refuses the session from now on. */
  end(session: string): void;
}

export function createClientSessions(secrets: Pick<Secrets, "encrypt" | "decrypt">): ClientSessions {
  const ended = new Set<string>();

  function openId(presented: string): z.infer<typeof Sealed> | undefined {
    if (presented.length > MOST_ID_CHARS) return undefined;
    try {
      const text = secrets.decrypt(Buffer.from(presented, "base64url"), CONTEXT);
      return Sealed.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  }

  return {
    open({ tokenId: token }, { name: bundle }) {
      const until = currentTime().getTime() + LIFETIME_MS;
      const text = JSON.stringify({ id: randomUUID(), token, bundle, until });
      return Buffer.from(secrets.encrypt(text, CONTEXT)).toString("base64url");
    },
    read(presented, { tokenId }, { name }) {
      const found = openId(presented);
      const isOwn = found !== undefined && found.token === tokenId && found.bundle === name;
      if (!isOwn || found.until < currentTime().getTime() || ended.has(found.id))
        throw notFound({ reason: "mcp_session_unknown" });
      return found.id;
    },
    end(session) {
      const [oldest] = ended;
      if (ended.size >= MOST_ENDED && oldest !== undefined) ended.delete(oldest);
      ended.add(session);
    },
  };
}

/**
 * Sessions at MCP servers, on this node. A session belongs to one token and one credential, so its id and its state reach no
 * other token. It ends when it is idle, and when its token or account is revoked.
 */
import { createHash } from "node:crypto";
import type { ActiveServer } from "#domain/mcp/directory.ts";
import type { Caller } from "#domain/tokens/callers.ts";
import type { Revocations } from "#domain/tokens/revocations.ts";
import { GatewayError } from "#errors.ts";
import { loadMcpSdk, type McpSdk } from "./sdk.ts";
import { isSessionGone, nameUpstreamError } from "./upstream-errors.ts";
import { UpstreamSession } from "./upstream-session.ts";

const IDLE_MS = 10 * 60_000;
const MOST_OF_TOKEN = 64;
const MOST_OF_ACCOUNT = 512;
const MOST_OF_NODE = 2_000;

/** Selects a session: who uses it, in which session of the client, at which server, with which credential. */
export interface SessionOwner {
  readonly caller: Pick<Caller, "tokenId" | "userId" | "expiresAt" | "keyHash" | "derived">;
  /** Session of the client; "" for a client without one. */
  readonly session: string;
  readonly server: ActiveServer;
  readonly credential: string | undefined;
}

export interface McpSessions {
  /** Runs requests in the session of its owner, which is opened if necessary. Rejects with a `GatewayError`. */
  run<T>(
    owner: SessionOwner,
    signal: AbortSignal,
    task: (session: UpstreamSession) => Promise<T>,
  ): Promise<T>;
  /** Ends the sessions that belong to a session of a client. */
  end(tokenId: number, session: string): Promise<void>;
  close(): Promise<void>;
}

interface McpSessionsDeps {
  revocations: Pick<Revocations, "watch">;
  /** For public addresses, and for those that root allowed to be private. */
  fetchPublic: typeof globalThis.fetch;
  fetchAny: typeof globalThis.fetch;
}

interface OpenSession {
  readonly key: string;
  readonly tokenId: number;
  readonly userId: number;
  readonly client: string;
  readonly session: Promise<UpstreamSession>;
  unwatch: () => void;
  users: number;
  idle: NodeJS.Timeout | undefined;
}

export function createMcpSessions(deps: McpSessionsDeps): McpSessions {
  return new Sessions(deps);
}

class Sessions implements McpSessions {
  readonly #deps: McpSessionsDeps;
  /** By key, least recently used first. */
  readonly #open = new Map<string, OpenSession>();

  constructor(deps: McpSessionsDeps) {
    this.#deps = deps;
  }

  async run<T>(
    owner: SessionOwner,
    signal: AbortSignal,
    task: (session: UpstreamSession) => Promise<T>,
  ): Promise<T> {
    const sdk = await loadMcpSdk();
    try {
      return await this.#runOnce(sdk, owner, signal, task);
    } catch (error) {
      if (!isSessionGone(sdk, error)) throw nameUpstreamError(sdk, owner.server.name, error);
    }
    try {
      return await this.#runOnce(sdk, owner, signal, task);
    } catch (error) {
      throw nameUpstreamError(sdk, owner.server.name, error);
    }
  }

  async #runOnce<T>(
    sdk: McpSdk,
    owner: SessionOwner,
    signal: AbortSignal,
    task: (session: UpstreamSession) => Promise<T>,
  ): Promise<T> {
    const opened = this.#take(sdk, owner);
    try {
      return await untilAborted(
        opened.session.then((session) => task(session)),
        signal,
      );
    } catch (error) {
      // An error response of the server, a timeout or a client that left does not end the session.
      const isUsable = error instanceof sdk.McpError || error instanceof GatewayError || signal.aborted;
      if (!isUsable) void this.#end(opened);
      throw error;
    } finally {
      this.#leave(opened);
    }
  }

  #take(sdk: McpSdk, owner: SessionOwner): OpenSession {
    const key = keyOf(owner);
    const known = this.#open.get(key);
    if (known !== undefined) {
      clearTimeout(known.idle);
      known.users += 1;
      this.#open.delete(key);
      this.#open.set(key, known);
      return known;
    }
    const { caller, server, credential, session: client } = owner;
    this.#makeSpace(caller);
    const { fetchPublic, fetchAny, revocations } = this.#deps;
    const session = new UpstreamSession(
      sdk,
      server,
      credential,
      server.mayBePrivate ? fetchAny : fetchPublic,
    );
    const opened: OpenSession = {
      key,
      tokenId: caller.tokenId,
      userId: caller.userId,
      client,
      session: session.connect().then(() => session),
      unwatch: () => {},
      users: 1,
      idle: undefined,
    };
    this.#open.set(key, opened);
    opened.session.catch(() => this.#end(opened));
    opened.unwatch = revocations.watch(caller, () => void this.#end(opened));
    return opened;
  }

  /** Throws `rate_limit_exceeded` while all sessions are in use. */
  #makeSpace({ tokenId, userId }: Pick<Caller, "tokenId" | "userId">): void {
    const all = [...this.#open.values()];
    const ofAccount = all.filter((each) => each.userId === userId);
    const ofToken = ofAccount.filter((each) => each.tokenId === tokenId);
    const limits = [
      [ofToken, MOST_OF_TOKEN],
      [ofAccount, MOST_OF_ACCOUNT],
      [all, MOST_OF_NODE],
    ] as const;
    const [full] = limits.find(([sessions, most]) => sessions.length >= most) ?? [];
    if (full === undefined) return;
    const unused = full.find(({ users }) => users === 0);
    if (unused === undefined)
      throw new GatewayError("rate_limit_exceeded", { reason: "mcp_sessions_busy" }, { retryAfter: 5 });
    void this.#end(unused);
  }

  #leave(opened: OpenSession): void {
    opened.users -= 1;
    if (opened.users > 0 || this.#open.get(opened.key) !== opened) return;
    opened.idle = setTimeout(() => void this.#end(opened), IDLE_MS);
    opened.idle.unref();
  }

  #end(opened: OpenSession): Promise<void> {
    if (this.#open.get(opened.key) !== opened) return Promise.resolve();
    this.#open.delete(opened.key);
    clearTimeout(opened.idle);
    opened.unwatch();
    return opened.session.then(
      (session) => session.close(),
      () => {},
    );
  }

  async end(tokenId: number, client: string): Promise<void> {
    const own = [...this.#open.values()].filter((each) => each.tokenId === tokenId && each.client === client);
    await Promise.all(own.map((each) => this.#end(each)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((each) => this.#end(each)));
  }
}

function keyOf({ caller, session, server, credential }: SessionOwner): string {
  const parts = [caller.tokenId, session, server.id, server.version, credential ?? null];
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}

/** Rejects when the signal aborts, although the task goes on. */
async function untilAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    task.catch(() => {});
    throw disconnectedError();
  }
  let onAbort = () => {};
  const left = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(disconnectedError());
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([task, left]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    task.catch(() => {});
  }
}

function disconnectedError(): GatewayError {
  return new GatewayError("client_disconnected", { reason: "client_left_call" });
}

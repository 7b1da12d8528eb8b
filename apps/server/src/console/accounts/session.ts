/** Identifies the caller by the cookie or the access token of the request, looked up for every request. */
import { isDeepStrictEqual } from "node:util";
import type { Permissions } from "@gateway/shared/accounts/permissions";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "#console/services.ts";
import {
  endSession,
  findSession,
  readSession,
  SESSION_DAYS,
  startSession,
} from "#domain/accounts/sign-in/sessions.ts";
import type { Proven } from "#domain/accounts/sign-in/still-proven.ts";
import { findByAccessToken, permissionsOf } from "#domain/accounts/users.ts";
import type { Actor } from "#domain/audit-log/audit.ts";
import type { User } from "#platform/prisma/client.ts";

const COOKIE = "session";

export interface Viewer extends Actor {
  id: number;
  role: number;
  /** Symbol of the user's own group. */
  group: string;
  /** Null means everything that the role allows. */
  permissions: Permissions | null;
}

/** The identity of an enabled account. */
export interface ViewerIdentity {
  viewer: Viewer;
  by: "cookie" | "token";
}

export interface Sessions {
  /**
   * Returns undefined without a valid credential. A valid cookie takes precedence over the `Authorization`
   * header.
   */
  identify(request: FastifyRequest, reply: FastifyReply): Promise<ViewerIdentity | undefined>;
  /**
   * Returns whether the caller still has the credential, the account and the rights of this identity. For
   * responses that last long. Does not count as a use of the session.
   */
  isCurrent(request: FastifyRequest, identity: ViewerIdentity): Promise<boolean>;
  /** Signs this browser in under a new session id. Its previous session ends. */
  signIn(request: FastifyRequest, reply: FastifyReply, proven: Proven): Promise<void>;
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Returns the credential of the request as of its last lookup on this node. It may have ended since. */
  presented(request: FastifyRequest): PresentedCredential;
}

/** `none`: no credential. `unknown`: a credential that was not looked up on this node, or that is invalid. */
export type PresentedCredential =
  | { kind: "none" }
  | { kind: "unknown" }
  /** `name` distinguishes sessions and cannot be used as a credential. */
  | { kind: "session"; name: string }
  | { kind: "account"; id: number };

/** Maximum number of credentials remembered for rate limits. */
const MAX_REMEMBERED = 20_000;

export function createSessions(services: Services, cookiePath: string): Sessions {
  const { db, secrets } = services;

  const accounts = new Map<string, number>();

  function remember(credential: string, account: number): void {
    // Moves the entry to the end: the first entries are the least recently used ones.
    accounts.delete(credential);
    accounts.set(credential, account);
    if (accounts.size <= MAX_REMEMBERED) return;
    const oldest = accounts.keys().next();
    if (!oldest.done) accounts.delete(oldest.value);
  }

  const keyOf = (by: ViewerIdentity["by"], text: string) =>
    `${by}:${Buffer.from(secrets.hash(text)).toString("base64")}`;

  async function endOwn(request: FastifyRequest): Promise<void> {
    const id = sessionIdOf(request);
    if (id !== undefined) await endSession(db, secrets, id);
  }

  function setCookie(request: FastifyRequest, reply: FastifyReply, id: string): void {
    void reply.setCookie(COOKIE, id, {
      path: cookiePath,
      httpOnly: true,
      sameSite: "strict",
      secure: request.protocol === "https",
      maxAge: SESSION_DAYS * 86_400,
    });
  }

  return {
    async identify(request, reply) {
      const id = sessionIdOf(request);
      if (id !== undefined) {
        const found = await findSession(db, secrets, id);
        if (found?.renewed === true) setCookie(request, reply, id);
        if (found === undefined) accounts.delete(keyOf("cookie", id));
        else {
          remember(keyOf("cookie", id), found.user.id);
          return identityOf(found.user, "cookie", request);
        }
      }
      const token = tokenOf(request);
      if (token === "") return undefined;
      const user = await findByAccessToken(db, secrets, token);
      if (user === null) {
        accounts.delete(keyOf("token", token));
        return undefined;
      }
      remember(keyOf("token", token), user.id);
      return identityOf(user, "token", request);
    },
    async isCurrent(request, { viewer, by }) {
      const user =
        by === "cookie"
          ? (await readSession(db, secrets, sessionIdOf(request) ?? ""))?.user
          : await findByAccessToken(db, secrets, tokenOf(request));
      return (
        user?.id === viewer.id &&
        user.role === viewer.role &&
        isDeepStrictEqual(permissionsOf(user), viewer.permissions)
      );
    },
    presented(request) {
      const id = sessionIdOf(request);
      const name = id === undefined ? "" : keyOf("cookie", id);
      if (accounts.has(name)) return { kind: "session", name };
      const token = tokenOf(request);
      const account = token === "" ? undefined : accounts.get(keyOf("token", token));
      if (account !== undefined) return { kind: "account", id: account };
      return { kind: id === undefined && token === "" ? "none" : "unknown" };
    },
    async signIn(request, reply, proven) {
      await endOwn(request);
      const visitor = { ip: request.ip, userAgent: request.headers["user-agent"] ?? "" };
      const id = await startSession(db, secrets, proven, visitor);
      remember(keyOf("cookie", id), proven.id);
      setCookie(request, reply, id);
    },
    async signOut(request, reply) {
      await endOwn(request);
      void reply.clearCookie(COOKIE, { path: cookiePath });
    },
  };
}

function identityOf(user: User, by: ViewerIdentity["by"], request: FastifyRequest): ViewerIdentity {
  const { id, username, role, group } = user;
  const permissions = permissionsOf(user);
  return { viewer: { id, username, role, group, permissions, ip: request.ip }, by };
}

/** Returns the access token that a script sends, valid or not; "" without one. */
export function tokenOf(request: FastifyRequest): string {
  return request.headers.authorization?.replace(/^Bearer\s+/i, "").trim() ?? "";
}

/** Returns the session id that this browser sends, valid or not. */
export function sessionIdOf(request: FastifyRequest): string | undefined {
  const id = request.cookies[COOKIE];
  return id === undefined || id === "" || id.length > 128 ? undefined : id;
}

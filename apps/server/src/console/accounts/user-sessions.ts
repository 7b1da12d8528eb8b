import { SessionRow } from "@gateway/shared/accounts/session";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, RowIdText } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { endSessionsOf } from "#domain/accounts/administration.ts";
import { requireMayRead } from "#domain/accounts/authority.ts";
import { listSessions, revokeSession, revokeSessions } from "#domain/accounts/sign-in/sessions.ts";
import { getUser } from "#domain/accounts/users.ts";
import { notFound } from "#errors.ts";
import { sessionIdOf } from "./session.ts";

const SessionId = z.string().regex(/^[0-9a-f]{64}$/);
const OwnSession = z.object({ session: SessionId });
const SessionOf = z.object({ id: RowIdText, session: SessionId });

/** Routes for sessions: the own ones, and for administrators those of users with a lower role. */
export function userSessionRoutes(app: ConsoleApp, { db, secrets }: Services): void {
  const own = { access: "user" } as const;
  const admin = { access: "admin", permission: "users" } as const;
  const rows = answers(z.array(SessionRow));
  const nothing = answers(Nothing);

  app.get(
    "/user/self/sessions",
    { config: own, schema: { summary: "List your sessions", response: rows } },
    async (request) => {
      const sessions = await listSessions(db, secrets, viewerOf(request).id, sessionIdOf(request));
      return ok(sessions.map(present));
    },
  );

  app.delete(
    "/user/self/sessions/:session",
    { config: own, schema: { summary: "End one of your sessions", params: OwnSession, response: nothing } },
    async (request) => {
      const ended = await revokeSession(db, viewerOf(request).id, request.params.session);
      if (!ended) throw notFound({ reason: "session_not_found" });
      return ok(null);
    },
  );

  // All but the session of this request.
  app.delete(
    "/user/self/sessions",
    { config: own, schema: { summary: "End all your other sessions", response: nothing } },
    async (request) => {
      await revokeSessions(db, secrets, viewerOf(request).id, sessionIdOf(request));
      return ok(null);
    },
  );

  app.get(
    "/user/:id/sessions",
    { config: admin, schema: { summary: "List the sessions of a user", params: IdParams, response: rows } },
    async (request) => {
      const viewer = viewerOf(request);
      const user = await getUser(db, request.params.id);
      requireMayRead(viewer, user);
      return ok((await listSessions(db, secrets, user.id, sessionIdOf(request))).map(present));
    },
  );

  app.delete(
    "/user/:id/sessions/:session",
    { config: admin, schema: { summary: "End a session of a user", params: SessionOf, response: nothing } },
    async (request) => {
      const { id, session } = request.params;
      if (!(await endSessionsOf(db, viewerOf(request), id, session)))
        throw notFound({ reason: "session_not_found" });
      return ok(null);
    },
  );

  app.delete(
    "/user/:id/sessions",
    { config: admin, schema: { summary: "End all sessions of a user", params: IdParams, response: nothing } },
    async (request) => {
      await endSessionsOf(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}

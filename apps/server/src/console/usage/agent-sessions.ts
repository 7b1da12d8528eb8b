import { mayEnter } from "@gateway/shared/accounts/roles";
import {
  AgentSession,
  AgentSessionQuery,
  SessionCalls,
  SessionPage,
  SessionQuery,
} from "@gateway/shared/usage/session";
import type { FastifyRequest } from "fastify";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import type { LogView } from "#domain/logs/filter.ts";
import { describeSession } from "#domain/logs/sessions/agent-session.ts";
import { listSessionCalls } from "#domain/logs/sessions/session-calls.ts";
import { listSessions } from "#domain/logs/sessions/sessions.ts";
import { everybody, ownLogView } from "./logs.ts";

const user = { access: "user" } as const;

function viewOf(request: FastifyRequest): LogView {
  return mayEnter(viewerOf(request), "logs") ? everybody : ownLogView(request);
}

/** Routes for the sessions of agents. Titles are texts of stored requests, so nothing of them is cached. */
export function agentSessionRoutes(app: ConsoleApp, { reads, secrets }: Services): void {
  app.get(
    "/log/sessions",
    {
      config: user,
      schema: {
        summary: "List the sessions of agents: of all users for administrators, else your own",
        querystring: SessionQuery,
        response: answers(SessionPage),
      },
    },
    async (request) => {
      const view = viewOf(request);
      return ok(await reads.run(({ pool }) => listSessions(pool, secrets, view, request.query)));
    },
  );
  app.get(
    "/log/session",
    {
      config: user,
      schema: {
        summary: "Get a session of an agent: its agents, models, tokens, cost and cache",
        querystring: AgentSessionQuery,
        response: answers(AgentSession),
      },
    },
    async (request) => {
      const view = viewOf(request);
      return ok(await reads.run(({ pool }) => describeSession(pool, secrets, view, request.query)));
    },
  );
  app.get(
    "/log/session/calls",
    {
      config: user,
      schema: {
        summary: "List the newest 5,000 calls of a session in their order",
        querystring: AgentSessionQuery,
        response: answers(SessionCalls),
      },
    },
    async (request) => {
      const view = viewOf(request);
      return ok(await reads.run(({ pool }) => listSessionCalls(pool, view, request.query)));
    },
  );
}

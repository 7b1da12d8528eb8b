import {
  QuotaChange,
  UserChange,
  UserDetail,
  UserInput,
  UserListRow,
  UserManage,
  UserQuery,
} from "@gateway/shared/accounts/user";
import { Nothing } from "@gateway/shared/envelope";
import { Page, Points } from "@gateway/shared/paging";
import { ObjectUsage, ObjectUsageQuery } from "@gateway/shared/usage/object-usage";
import { CacheEffect } from "@gateway/shared/usage/session";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { requireBalances, viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, sliceOf } from "#console/paging.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { changeUser, createUser, deleteUser, manageUser } from "#domain/accounts/administration.ts";
import { requireMayRead } from "#domain/accounts/authority.ts";
import { changeBalance } from "#domain/accounts/change-balance.ts";
import { listUsers } from "#domain/accounts/search-users.ts";
import { describeUser, permissionsOf, type UserInDetail } from "#domain/accounts/users.ts";
import { describeCacheEffect } from "#domain/logs/cache-effect.ts";
import { describeUsageOf } from "#domain/overview/object-usage.ts";
import { unixTime } from "#platform/clock.ts";

const sortable = [
  "id",
  "username",
  "role",
  "status",
  "group",
  "quota",
  "used_quota",
  "request_count",
  "created_time",
  "last_login_time",
  "last_login_ip",
] as const;

const config = { access: "admin", permission: "users" } as const;
const detail = answers(UserDetail);
/** What an action leaves of a user. */
export const UserStanding = z.object({ role: z.int(), status: z.int() });

/** Routes for other users' accounts, for administrators. */
export function userRoutes(app: ConsoleApp, services: Services): void {
  const { db, reads } = services;

  async function readableUser(request: FastifyRequest<{ Params: z.output<typeof IdParams> }>) {
    const user = await describeUser(db, request.params.id);
    requireMayRead(viewerOf(request), user);
    return user;
  }

  app.get(
    "/user",
    {
      config,
      schema: { summary: "List users", querystring: UserQuery, response: answers(Page(UserListRow)) },
    },
    async (request) => {
      const { query } = request;
      const { keyword, role, status, group } = query;
      const search = { keyword, role, status, group, ...sliceOf(query, sortable) };
      const { rows, total } = await listUsers(db, search);
      return ok(pageOf(query, rows.map(present), total));
    },
  );

  app.get(
    "/user/:id",
    { config, schema: { summary: "Get a user", params: IdParams, response: detail } },
    async (request) => ok(presentDetail(await readableUser(request))),
  );

  app.get(
    "/user/:id/usage",
    {
      config,
      schema: {
        summary: "Get the usage of a user over 24 hours and 30 days",
        params: IdParams,
        querystring: ObjectUsageQuery,
        response: answers(ObjectUsage),
      },
    },
    async (request) => {
      const user = await readableUser(request);
      return ok(
        await reads.run(({ pool }) => describeUsageOf(pool, { user: user.id }, request.query.time_zone)),
      );
    },
  );

  app.get(
    "/user/:id/cache",
    {
      config,
      schema: {
        summary: "Get what prompt caching saved a user, and what channel moves cost",
        params: IdParams,
        response: answers(CacheEffect),
      },
    },
    async (request) => {
      const user = await readableUser(request);
      return ok(await reads.run(({ pool }) => describeCacheEffect(pool, { userId: user.id })));
    },
  );

  userChangeRoutes(app, services);
}

function userChangeRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets, settings } = services;

  app.post(
    "/user",
    { config, schema: { summary: "Create a user", body: UserInput, response: detail } },
    async (request) => {
      if (request.body.quota > 0) requireBalances(request, "user");
      const gift = settings.current().QuotaForNewUser;
      const { id } = await createUser(db, viewerOf(request), request.body, gift);
      return ok(presentDetail(await describeUser(db, id)));
    },
  );

  app.put(
    "/user",
    { config, schema: { summary: "Change a user", body: UserChange, response: detail } },
    async (request) => {
      await changeUser(db, secrets, viewerOf(request), request.body);
      return ok(presentDetail(await describeUser(db, request.body.id)));
    },
  );

  app.delete(
    "/user/:id",
    { config, schema: { summary: "Delete a user", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteUser(db, secrets, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.post(
    "/user/manage",
    {
      config,
      schema: {
        summary: "Disable, enable, promote, demote or delete a user",
        body: UserManage,
        response: answers(UserStanding),
      },
    },
    async (request) => ok(await manageUser(db, secrets, viewerOf(request), request.body)),
  );

  app.post(
    "/user/quota/:id",
    {
      config: { access: "admin", permission: "balances" },
      schema: {
        summary: "Add to a user's balance or deduct from it",
        params: IdParams,
        body: QuotaChange,
        response: answers(z.object({ quota: Points })),
      },
    },
    async (request) => {
      const { id } = request.params;
      const { QuotaValidityDays } = settings.current();
      const balance = await changeBalance(db, viewerOf(request), id, request.body, QuotaValidityDays);
      return ok({ quota: Number(balance) });
    },
  );
}

function presentDetail(user: UserInDetail): UserDetail {
  const { identities, ...row } = user;
  return {
    ...present(row),
    identities: identities.map((identity) => ({
      ...identity,
      created_time: unixTime(identity.created_time),
    })),
    permissions: permissionsOf(user),
    has_password: user.password_hash !== null,
    has_access_token: user.access_token_hash !== null,
  };
}

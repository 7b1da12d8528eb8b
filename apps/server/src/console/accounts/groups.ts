import {
  UserGroupDetail,
  UserGroupInput,
  UserGroupPage,
  UserGroupQuery,
  UserGroupSwitch,
} from "@gateway/shared/channels/group";
import { Nothing } from "@gateway/shared/envelope";
import { makePartial } from "@gateway/shared/paging";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import {
  changeGroup,
  createGroup,
  deleteGroup,
  describeGroup,
  getGroup,
  listGroups,
  switchGroup,
} from "#domain/accounts/groups/edit-groups.ts";
import { invalidFields } from "#errors.ts";
import type { UserGroup } from "#platform/prisma/client.ts";

const sortable = [
  "id",
  "symbol",
  "name",
  "ratio",
  "api_rate",
  "public",
  "promotion",
  "min",
  "max",
  "enable",
] as const;

/** Absent fields keep their values. A symbol is accepted if it is the group's own. */
const Change = makePartial(UserGroupInput);

/** Routes for user groups, for administrators. */
export function groupRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "admin", permission: "groups" } as const;
  const row = answers(UserGroupDetail);
  async function change(request: FastifyRequest, id: number, body: z.output<typeof Change>) {
    const group = await getGroup(db, id);
    const { symbol = group.symbol, ...fields } = body;
    if (symbol !== group.symbol) throw invalidFields({ symbol: { reason: "identifier_fixed" } });
    return show(await changeGroup(db, viewerOf(request), id, fields));
  }
  const show = async (group: UserGroup) => ok(await describeGroup(db, group));

  app.get(
    "/user_group",
    {
      config,
      schema: { summary: "List user groups", querystring: UserGroupQuery, response: answers(UserGroupPage) },
    },
    async (request) => {
      const { query } = request;
      const { rows, total } = await listGroups(db, {
        keyword: query.keyword,
        ...(query.enable === "" ? {} : { enable: query.enable === "true" }),
        ...sliceOf(query, sortable),
      });
      return ok(pageOf(query, rows, total));
    },
  );

  app.get(
    "/user_group/:id",
    { config, schema: { summary: "Get a user group", params: IdParams, response: row } },
    async (request) => show(await getGroup(db, request.params.id)),
  );

  app.post(
    "/user_group",
    { config, schema: { summary: "Create a user group", body: UserGroupInput, response: row } },
    async (request) => show(await createGroup(db, viewerOf(request), request.body)),
  );

  app.put(
    "/user_group/:id",
    { config, schema: { summary: "Change a user group", params: IdParams, body: Change, response: row } },
    async (request) => change(request, request.params.id, request.body),
  );

  // The same with the id in the body.
  app.put(
    "/user_group",
    {
      config,
      schema: {
        summary: "Change a user group; the id is in the body",
        body: z.intersection(z.object({ id: RowId }), Change),
        response: row,
      },
    },
    async (request) => change(request, request.body.id, request.body),
  );

  app.put(
    "/user_group/enable/:id",
    {
      config,
      schema: {
        summary: "Enable or disable a user group",
        params: IdParams,
        querystring: UserGroupSwitch,
        response: row,
      },
    },
    async (request) => {
      const { enable } = request.query;
      const next = enable === undefined ? undefined : enable === "true";
      return show(await switchGroup(db, viewerOf(request), request.params.id, next));
    },
  );

  app.delete(
    "/user_group/:id",
    { config, schema: { summary: "Delete a user group", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteGroup(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}

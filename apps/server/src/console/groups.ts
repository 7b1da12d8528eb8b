import { Nothing } from "@gateway/shared/envelope";
import { UserGroupDetail, UserGroupInput, UserGroupPage, UserGroupQuery } from "@gateway/shared/group";
import {
  changeGroup,
  createGroup,
  deleteGroup,
  describeGroup,
  getGroup,
  listGroups,
  switchGroup,
} from "#domain/accounts/edit-groups.ts";
import type { UserGroup } from "#platform/prisma/client.ts";
import { answers, type ConsoleApp, ok } from "./answer.ts";
import { viewerOf } from "./guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "./paging.ts";
import type { Services } from "./services.ts";

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

const Change = UserGroupInput.omit({ symbol: true });

/** User groups, for administrators. */
export function groupRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "admin", permission: "groups" } as const;
  const row = answers(UserGroupDetail);
  const show = async (group: UserGroup) => ok(await describeGroup(db, group));

  app.get(
    "/user_group",
    { config, schema: { querystring: UserGroupQuery, response: answers(UserGroupPage) } },
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

  app.get("/user_group/:id", { config, schema: { params: IdParams, response: row } }, async (request) =>
    show(await getGroup(db, request.params.id)),
  );

  app.post("/user_group", { config, schema: { body: UserGroupInput, response: row } }, async (request) =>
    show(await createGroup(db, viewerOf(request), request.body)),
  );

  app.put(
    "/user_group/:id",
    { config, schema: { params: IdParams, body: Change, response: row } },
    async (request) => show(await changeGroup(db, viewerOf(request), request.params.id, request.body)),
  );

  // The same with the id in the body.
  app.put(
    "/user_group",
    { config, schema: { body: Change.extend({ id: RowId }), response: row } },
    async (request) => show(await changeGroup(db, viewerOf(request), request.body.id, request.body)),
  );

  app.put(
    "/user_group/enable/:id",
    { config, schema: { params: IdParams, response: row } },
    async (request) => show(await switchGroup(db, viewerOf(request), request.params.id)),
  );

  app.delete(
    "/user_group/:id",
    { config, schema: { params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteGroup(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}

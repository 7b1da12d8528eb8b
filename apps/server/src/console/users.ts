import { randomUUID } from "node:crypto";
import { Page, PageQuery, Points } from "@gateway/shared/paging";
import { Role } from "@gateway/shared/roles";
import { UserRow } from "@gateway/shared/user";
import { z } from "zod";
import { getUser, listUsers } from "#domain/accounts/users.ts";
import { audit } from "#domain/audit-log/audit.ts";
import { credit } from "#domain/billing/ledger.ts";
import { forbidden } from "#errors.ts";
import { answers, type ConsoleApp, ok } from "./answer.ts";
import { viewerOf } from "./guards.ts";
import { IdParams, pageOf, sliceOf } from "./paging.ts";
import { present } from "./present.ts";
import type { Services } from "./services.ts";

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

const UserQuery = PageQuery.extend({ keyword: z.string().trim().max(100).default("") });

const QuotaChange = z.object({
  /** Points to add; negative takes away. */
  quota: Points,
  remark: z.string().trim().max(500).default(""),
});

/** Other people's accounts, for administrators. */
export function userRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "admin" } as const;

  app.get(
    "/user",
    { config, schema: { querystring: UserQuery, response: answers(Page(UserRow)) } },
    async (request) => {
      const { query } = request;
      const search = { keyword: query.keyword, ...sliceOf(query, sortable) };
      const { rows, total } = await listUsers(db, search);
      return ok(pageOf(query, rows.map(present), total));
    },
  );

  app.post(
    "/user/quota/:id",
    {
      config,
      schema: { params: IdParams, body: QuotaChange, response: answers(z.object({ quota: Points })) },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const { quota: amount, remark } = request.body;
      const balance = await db.$transaction(async (tx) => {
        const user = await getUser(tx, request.params.id);
        if (viewer.role < Role.root && user.role >= viewer.role) {
          throw forbidden("Only root may change the balance of an administrator.");
        }
        const reference = randomUUID();
        const after = await credit(tx, {
          userId: user.id,
          kind: "admin",
          amount: BigInt(amount),
          reference,
          reason: remark,
          actorId: viewer.id,
          ip: viewer.ip,
        });
        await audit(tx, {
          actor: viewer,
          action: "user.quota",
          targetType: "user",
          targetId: user.id,
          before: { quota: user.quota },
          after: { quota: after, change: amount, remark, reference },
        });
        return after;
      });
      return ok({ quota: Number(balance) });
    },
  );
}

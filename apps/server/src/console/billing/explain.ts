import { mayEnter } from "@gateway/shared/accounts/roles";
import { Explanation } from "@gateway/shared/usage/explain";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { explainCall } from "#domain/pricing/explain.ts";

const LogParams = z.object({ id: z.string().min(1).max(64) });

/** Route that explains the cost of a call: of any call for administrators, of own calls for every user. */
export function explainRoutes(app: ConsoleApp, { pool }: Services): void {
  app.get(
    "/log/:id/explain",
    {
      config: { access: "user" },
      schema: { summary: "Explain a charge line by line", params: LogParams, response: answers(Explanation) },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const ownerId = mayEnter(viewer, "logs") ? undefined : viewer.id;
      return ok(await explainCall(pool, request.params.id, ownerId));
    },
  );
}

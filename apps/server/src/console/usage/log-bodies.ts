import { mayEnter } from "@gateway/shared/accounts/roles";
import { LogBodies } from "@gateway/shared/usage/log";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { findBodies } from "#domain/logs/bodies.ts";

const RequestParams = z.object({ id: z.string().min(1).max(64) });

/**
 * Route for the kept request and response bodies of a call: for administrators, and for the owner of a token
 * that requested to keep them. Null when there are none.
 */
export function logBodyRoutes(app: ConsoleApp, { pool, secrets }: Services): void {
  app.get(
    "/log/:id/bodies",
    {
      config: { access: "user" },
      schema: {
        summary: "Get the recorded request and response of a call",
        params: RequestParams,
        response: answers(LogBodies.nullable()),
      },
    },
    async (request) => {
      const viewer = viewerOf(request);
      const ownerId = mayEnter(viewer, "logs") ? undefined : viewer.id;
      return ok(await findBodies(pool, secrets, request.params.id, ownerId));
    },
  );
}

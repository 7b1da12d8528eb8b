import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { invalidRequest } from "#errors.ts";

/** Tests of one address in ten minutes. Each is a search that the operator may pay for. */
const TEST_LIMIT = { max: 30, timeWindow: 600_000 };

/** Route for a test of the search service, whose address only root may change. */
export function webSearchRoutes(app: ConsoleApp, { webSearch }: Services): void {
  app.post(
    "/option/web-search/test",
    {
      config: { access: "root", rateLimit: TEST_LIMIT },
      schema: {
        summary: "Test the search service",
        response: answers(z.object({ pages: z.int() })),
      },
    },
    async (request) => {
      const query = { text: "weather", count: 5, allowedDomains: [], blockedDomains: [] };
      const outcome = await webSearch.search(viewerOf(request).id, query);
      if ("failure" in outcome) throw invalidRequest({ reason: "search_failed", cause: outcome.cause });
      return ok({ pages: outcome.pages.length });
    },
  );
}

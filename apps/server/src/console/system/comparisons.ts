import { Nothing } from "@gateway/shared/envelope";
import {
  ComparisonDetail,
  ComparisonInput,
  ComparisonProduct,
  ComparisonRow,
} from "@gateway/shared/site/comparison";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sendEvents } from "#console/event-stream.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { hasLogApi } from "#migration/compare/comparisons.ts";
import { products } from "#migration/products/index.ts";

/** Runs of a session within ten minutes: each one connects to an address that root has entered. */
const RUN_LIMIT = { max: 30, timeWindow: 600_000 };

/** Routes of the parallel run. Only root may let this server connect to databases and gateways. */
export function comparisonRoutes(app: ConsoleApp, { comparisons }: Services): void {
  const root = { access: "root" } as const;

  app.get(
    "/migration/comparison/products",
    {
      config: root,
      schema: {
        summary: "List the gateways whose charges can be compared",
        response: answers(z.array(ComparisonProduct)),
      },
    },
    async () =>
      ok(
        products.map((product) => ({
          id: product.id,
          title: product.title,
          has_log_api: hasLogApi(product),
        })),
      ),
  );

  app.post(
    "/migration/comparison",
    {
      config: { ...root, rateLimit: RUN_LIMIT },
      schema: {
        summary:
          "Compare the charges of a channel with those of the old gateway behind it, as server-sent events",
        body: ComparisonInput,
        response: answers(Nothing),
      },
    },
    async (request, reply) => sendEvents(request, reply, await comparisons.start(request.body)),
  );

  app.get(
    "/migration/comparison",
    { config: root, schema: { summary: "List kept comparisons", response: answers(z.array(ComparisonRow)) } },
    async () => ok(await comparisons.list()),
  );

  app.get(
    "/migration/comparison/:id",
    {
      config: root,
      schema: { summary: "Get a kept comparison", params: IdParams, response: answers(ComparisonDetail) },
    },
    async (request) => ok(await comparisons.get(request.params.id)),
  );
}

import { type AdminArea, mayEnter } from "@gateway/shared/accounts/roles";
import { Nothing } from "@gateway/shared/envelope";
import { type AttentionItem, Overview, OverviewEventsQuery } from "@gateway/shared/usage/overview";
import type { Viewer } from "#console/accounts/session.ts";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sendEvents } from "#console/event-stream.ts";
import { viewerOf } from "#console/guards.ts";
import { liveEvents } from "#console/live-events.ts";
import type { Services } from "#console/services.ts";
import { createOverviewCache } from "#domain/overview/overview-cache.ts";

/**
 * Route for the state of the gateway. Every administrator may call it; each sees the parts that their rights
 * permit.
 */
export function overviewRoutes(app: ConsoleApp, services: Services): void {
  const config = { access: "admin", permission: "any" } as const;
  const cache = createOverviewCache(services);
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.get(
    "/overview",
    {
      config,
      schema: {
        summary: "Get the state of the gateway: traffic, errors, latency, cost, channels",
        response: answers(Overview),
      },
    },
    async (request) => ok(visibleTo(viewerOf(request), await cache.read())),
  );

  app.get(
    "/overview/events",
    {
      config,
      schema: {
        summary: "Follow the state of the gateway as server-sent events",
        querystring: OverviewEventsQuery,
        response: answers(Nothing),
      },
    },
    async (request, reply) => {
      const viewer = viewerOf(request);
      return sendEvents(
        request,
        reply,
        liveEvents({
          read: async () => visibleTo(viewer, await cache.read()),
          versionOf: (overview) => overview.version,
          seen: request.query.seen,
          signal: closing.signal,
        }),
      );
    },
  );
}

function visibleTo(viewer: Viewer, overview: Overview): Overview {
  const traffic = mayEnter(viewer, "analytics") || mayEnter(viewer, "logs") ? overview.traffic : null;
  const channels = mayEnter(viewer, "channels") ? overview.channels : null;
  const attention = overview.attention.filter((item) =>
    item.kind === "balance-empty" ? traffic !== null : mayEnter(viewer, areaOf(item)),
  );
  return { ...overview, traffic, channels, attention };
}

function areaOf(item: Exclude<AttentionItem, { kind: "balance-empty" }>): AdminArea {
  switch (item.kind) {
    case "channel-disabled":
    case "channel-failing":
    case "channel-balance":
      return "channels";
    case "unpriced":
      return "prices";
    case "audit-drift":
      return "analytics";
    case "notice":
      return (
        { "payment-trouble": "payments", "job-failed": "settings", "prices-failed": "prices" } as const
      )[item.event];
  }
}

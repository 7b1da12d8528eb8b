import { queryInt } from "@gateway/shared/paging";
import { InboxPage, InboxQuery, InboxReadInput, InboxState } from "@gateway/shared/site/inbox";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { inboxState, listInbox, markAllRead, markRead } from "#domain/inbox/inbox.ts";

/** Ids of notifications are 64-bit. */
const EntryParams = z.object({ id: queryInt(z.int().min(1)) });

/**
 * Routes for the notifications of the signed-in user: their own, and those of the site that their rights
 * permit.
 */
export function inboxRoutes(app: ConsoleApp, { db }: Services): void {
  const config = { access: "user" } as const;
  const state = { response: answers(InboxState) };

  app.get(
    "/inbox",
    {
      config,
      schema: { summary: "List your notifications", querystring: InboxQuery, response: answers(InboxPage) },
    },
    async (request) => ok(await listInbox(db, viewerOf(request), request.query)),
  );

  app.get(
    "/inbox/unread",
    { config, schema: { summary: "Count your unread notifications", ...state } },
    async (request) => ok(await inboxState(db, viewerOf(request))),
  );

  app.post(
    "/inbox/read",
    { config, schema: { summary: "Mark all notifications as read", ...state, body: InboxReadInput } },
    async (request) => {
      const viewer = viewerOf(request);
      await markAllRead(db, viewer, request.body.until);
      return ok(await inboxState(db, viewer));
    },
  );

  app.post(
    "/inbox/:id/read",
    { config, schema: { summary: "Mark a notification as read", ...state, params: EntryParams } },
    async (request) => {
      const viewer = viewerOf(request);
      await markRead(db, viewer, request.params.id);
      return ok(await inboxState(db, viewer));
    },
  );
}

import { Nothing } from "@gateway/shared/envelope";
import { NoticeRow, NoticeTest } from "@gateway/shared/site/notice";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { getUser } from "#domain/accounts/users.ts";
import { sendTestNotice } from "#domain/notices/deliver.ts";
import { listNotices, messageOf } from "#domain/notices/notices.ts";
import { senderFor } from "#domain/settings/mail-account.ts";
import { invalidRequest } from "#errors.ts";
import { testMail } from "#notices/mails.ts";
import { unixTime } from "#platform/clock.ts";

const SHOWN = 50;
/** Tests of one address in ten minutes. Each sends a request from this server. */
const TEST_LIMIT = { max: 30, timeWindow: 600_000 };

/** Routes for notices sent to operators, and for testing the notification channels. */
export function noticeRoutes(app: ConsoleApp, services: Services): void {
  const { db, settings, mailer, post } = services;
  const config = { access: "admin", permission: "settings" } as const;
  const testing = { ...config, rateLimit: TEST_LIMIT };

  app.get(
    "/option/notice",
    {
      config,
      schema: {
        summary: "List operator notices that were sent lately",
        response: answers(z.array(NoticeRow)),
      },
    },
    async () => {
      const rows = await listNotices(db, SHOWN);
      return ok(
        rows.map((row) => {
          const { title, text } = messageOf(row, settings.current());
          return {
            id: Number(row.id),
            created_time: unixTime(row.created_time),
            event: row.event,
            title,
            text,
            repeats: row.repeats,
            deliveries: row.deliveries.map(({ channel, status, error }) => ({
              channel,
              status: NoticeRow.shape.deliveries.element.shape.status.catch("pending").parse(status),
              error,
            })),
          };
        }),
      );
    },
  );

  app.post(
    "/option/notice/test",
    {
      config: testing,
      schema: { summary: "Send a test notice", body: NoticeTest, response: answers(Nothing) },
    },
    async (request) => {
      const telling = { db, mailer, post, settings: () => settings.current() };
      await sendTestNotice(telling, request.body.channel);
      return ok(null);
    },
  );

  // Tests settings that only root may change.
  app.post(
    "/option/mail/test",
    {
      config: { access: "root", rateLimit: TEST_LIMIT },
      schema: { summary: "Send a test mail", response: answers(z.object({ to: z.string() })) },
    },
    async (request) => {
      const { email, language } = await getUser(db, viewerOf(request).id);
      const current = settings.current();
      // Without a mail server no address can be verified, so the sender's own address is used.
      const to = email ?? (current.SMTPFrom || current.SMTPAccount);
      if (!to.includes("@")) throw invalidRequest({ reason: "no_test_address" });
      await mailer.send({ to, ...testMail(senderFor(current, language)) });
      return ok({ to });
    },
  );
}

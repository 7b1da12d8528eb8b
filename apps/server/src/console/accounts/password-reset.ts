import { PasswordReset } from "@gateway/shared/accounts/password-reset";
import { Nothing } from "@gateway/shared/envelope";
import { MailRequest } from "@gateway/shared/site/mail";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { takeMailAttempt } from "#domain/accounts/mail-codes.ts";
import { beginReset, finishReset, RESET_MINUTES } from "#domain/accounts/sign-in/password-reset.ts";
import { offersReset, senderFor } from "#domain/settings/mail-account.ts";
import { requirePublicUrl } from "#domain/settings/public-url.ts";
import { forbidden } from "#errors.ts";
import { passwordChangedMail, resetMail } from "#notices/mails.ts";
import { GUESS_LIMIT } from "./accounts.ts";

/**
 * Routes for a forgotten password. The first response is the same, and equally fast, whether the account
 * exists or not.
 */
export function passwordResetRoutes(app: ConsoleApp, services: Services, root: string): void {
  const { db, secrets, settings, mailer, checkPerson } = services;
  const config = { access: "anyone", rateLimit: GUESS_LIMIT } as const;
  const nothing = answers(Nothing);

  function page(token: string, email: string): string {
    const url = new URL(`${requirePublicUrl(settings.current(), { root, isAdmin: false })}/user/reset`);
    url.search = new URLSearchParams({ email, token }).toString();
    return url.href;
  }

  async function begin(request: FastifyRequest, wanted: z.output<typeof MailRequest>) {
    const { email, turnstile, language } = wanted;
    await checkPerson(turnstile, request.ip);
    const current = settings.current();
    if (!offersReset(current)) throw forbidden({ reason: "reset_by_mail_off" });
    await takeMailAttempt(db, "reset", email);
    const found = await beginReset(db, secrets, email);
    if (found !== undefined) {
      const { username } = found.user;
      const sender = senderFor(current, found.user.language || language);
      const letter = resetMail(sender, { username, url: page(found.token, email), minutes: RESET_MINUTES });
      mailer.post({ to: email, ...letter });
    }
    return ok(null);
  }

  app.post(
    "/reset_password",
    { config, schema: { summary: "Send a link to reset a password", body: MailRequest, response: nothing } },
    (request) => begin(request, request.body),
  );
  // GET exists for the older API.
  app.get(
    "/reset_password",
    {
      config: { ...config, checksOrigin: true },
      schema: { summary: "Send a link to reset a password", querystring: MailRequest, response: nothing },
    },
    (request) => begin(request, request.query),
  );

  app.post(
    "/user/reset",
    {
      config,
      schema: { summary: "Set a new password with a reset link", body: PasswordReset, response: nothing },
    },
    async (request) => {
      const { email, token, password } = request.body;
      const user = await finishReset(db, secrets, { email, token, password, ip: request.ip });
      const sender = senderFor(settings.current(), user.language);
      mailer.post({ to: email, ...passwordChangedMail(sender, user.username) });
      return ok(null);
    },
  );
}

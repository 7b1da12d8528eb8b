import { EmailProof, EmailRequest } from "@gateway/shared/accounts/profile";
import { Self } from "@gateway/shared/accounts/session";
import { Nothing } from "@gateway/shared/envelope";
import { MailRequest } from "@gateway/shared/site/mail";
import type { FastifyRequest } from "fastify";
import type { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { bindEmail, bindingPlace, emailTakenError } from "#domain/accounts/email.ts";
import {
  CODE_MINUTES,
  isEmailTaken,
  issueCode,
  requireDomain,
  takeMailAttempt,
} from "#domain/accounts/mail-codes.ts";
import { requireOpen, signUpPlace } from "#domain/accounts/registration.ts";
import { getUser } from "#domain/accounts/users.ts";
import { canMail, senderFor } from "#domain/settings/mail-account.ts";
import { forbidden, GatewayError } from "#errors.ts";
import { accountExistsMail, codeMail, emailChangedMail } from "#notices/mails.ts";
import type { Mail } from "#platform/mail.ts";
import { GUESS_LIMIT, presentSelf } from "./accounts.ts";
import { proveOwner } from "./proof.ts";

/** Codes by mail: for the address of a new account, and for a new address of a signed-in user. */
export function emailRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets, settings, mailer, checkPerson } = services;
  const nothing = answers(Nothing);

  /**
   * Sends a mail, and fails if it cannot be sent, because the user waits for it. The details are only for the
   * operator.
   */
  async function sendNow(mail: Mail, warn: (error: unknown) => void): Promise<void> {
    try {
      await mailer.send(mail);
    } catch (cause) {
      warn(cause);
      throw new GatewayError("upstream_failed", { reason: "mail_not_sent" }, { cause });
    }
  }

  async function verify(request: FastifyRequest, wanted: z.output<typeof MailRequest>) {
    const { email, turnstile, language } = wanted;
    await checkPerson(turnstile, request.ip);
    const current = settings.current();
    requireOpen(current);
    if (!current.EmailVerificationEnabled) throw forbidden({ reason: "sign_up_without_email" });
    requireDomain(email, current);
    await takeMailAttempt(db, "code", email);
    const sender = senderFor(current, language);
    // Only the owner of the address learns whether it has an account.
    const letter = (await isEmailTaken(db, email))
      ? accountExistsMail(sender)
      : codeMail(sender, await issueCode(db, secrets, signUpPlace(email)), CODE_MINUTES);
    await sendNow({ to: email, ...letter }, (err) => request.log.warn({ err }, "a mail was not sent"));
    return ok(null);
  }

  const anyone = { access: "anyone", rateLimit: GUESS_LIMIT } as const;
  app.post(
    "/verification",
    {
      config: anyone,
      schema: { summary: "Send a code to an email address", body: MailRequest, response: nothing },
    },
    (request) => verify(request, request.body),
  );
  // GET exists for the older API.
  app.get(
    "/verification",
    {
      config: { ...anyone, checksOrigin: true },
      schema: { summary: "Send a code to an email address", querystring: MailRequest, response: nothing },
    },
    (request) => verify(request, request.query),
  );

  const own = { access: "user", rateLimit: GUESS_LIMIT } as const;

  app.post(
    "/user/self/email/code",
    {
      config: own,
      schema: { summary: "Send a code to your new email address", body: EmailRequest, response: nothing },
    },
    async (request) => {
      const { email, language } = request.body;
      const user = await proveOwner(services, request, request.body);
      const current = settings.current();
      if (!canMail(current)) throw forbidden({ reason: "no_mail_server_to_send" });
      requireDomain(email, current);
      if (await isEmailTaken(db, email, user.id)) throw emailTakenError();
      await takeMailAttempt(db, "code", email);
      const code = await issueCode(db, secrets, bindingPlace(user.id, email));
      const letter = codeMail(senderFor(current, user.language || language), code, CODE_MINUTES);
      await sendNow({ to: email, ...letter }, (err) => request.log.warn({ err }, "a mail was not sent"));
      return ok(null);
    },
  );

  app.put(
    "/user/self/email",
    {
      config: own,
      schema: { summary: "Change your email address", body: EmailProof, response: answers(Self) },
    },
    async (request) => {
      const actor = viewerOf(request);
      const before = await getUser(db, actor.id);
      const user = await bindEmail(db, secrets, { actor, user: before, ...request.body });
      const current = settings.current();
      if (before.email !== null && before.email !== user.email && canMail(current)) {
        const sender = senderFor(current, user.language);
        mailer.post({
          to: before.email,
          ...emailChangedMail(sender, user.username, user.email ?? ""),
        });
      }
      return ok(await presentSelf(services, user));
    },
  );
}

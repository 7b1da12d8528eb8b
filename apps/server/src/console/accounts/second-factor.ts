import {
  PasswordProof,
  RecoveryCodes,
  TotpCode,
  TotpOffer,
  TotpRemoval,
} from "@gateway/shared/accounts/profile";
import { Nothing } from "@gateway/shared/envelope";
import type { FastifyRequest } from "fastify";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import {
  enableTotp,
  offerTotp,
  removeTotp,
  renewRecoveryCodes,
  requireSecondFactor,
} from "#domain/accounts/sign-in/second-factor.ts";
import { getUser } from "#domain/accounts/users.ts";
import { GUESS_LIMIT } from "./accounts.ts";
import { proveOwner } from "./proof.ts";

/** Routes for the authenticator app and recovery codes of the signed-in user. */
export function secondFactorRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets, settings } = services;
  const config = { access: "user", rateLimit: GUESS_LIMIT } as const;
  const own = (request: FastifyRequest) => getUser(db, viewerOf(request).id);
  const codes = answers(RecoveryCodes);

  // Requires proof of the owner, so that a person at an unlocked browser cannot lock the owner out.
  app.post(
    "/user/self/totp",
    {
      config,
      schema: {
        summary: "Start to set up two-factor authentication",
        body: PasswordProof,
        response: answers(TotpOffer),
      },
    },
    async (request) => {
      const user = await proveOwner(services, request, request.body);
      return ok(await offerTotp(db, secrets, user, settings.current().SystemName));
    },
  );

  app.post(
    "/user/self/totp/enable",
    { config, schema: { summary: "Turn two-factor authentication on", body: TotpCode, response: codes } },
    async (request) => {
      const user = await own(request);
      const { code } = request.body;
      return ok({ recovery_codes: await enableTotp(db, secrets, viewerOf(request), user, code) });
    },
  );

  app.post(
    "/user/self/totp/recovery",
    { config, schema: { summary: "Create new recovery codes", body: TotpCode, response: codes } },
    async (request) => {
      const user = await own(request);
      const { code } = request.body;
      return ok({ recovery_codes: await renewRecoveryCodes(db, secrets, viewerOf(request), user, code) });
    },
  );

  app.post(
    "/user/self/totp/disable",
    {
      config,
      schema: {
        summary: "Turn two-factor authentication off",
        body: TotpRemoval,
        response: answers(Nothing),
      },
    },
    async (request) => {
      const user = await proveOwner(services, request, { password: request.body.password });
      await requireSecondFactor(db, secrets, user, request.body.code);
      await removeTotp(db, viewerOf(request), user.id);
      return ok(null);
    },
  );
}

import { RegisterInput } from "@gateway/shared/accounts/registration";
import { Self } from "@gateway/shared/accounts/session";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { register } from "#domain/accounts/registration.ts";
import { recordSignIn } from "#domain/accounts/users.ts";
import { GUESS_LIMIT, presentSelf } from "./accounts.ts";
import type { Sessions } from "./session.ts";

/** Route for sign-up. It also signs the new user in. */
export function registrationRoutes(app: ConsoleApp, services: Services, sessions: Sessions): void {
  const { db, secrets, settings, checkPerson } = services;
  app.post(
    "/user/register",
    {
      config: { access: "anyone", rateLimit: GUESS_LIMIT },
      schema: { summary: "Create an account", body: RegisterInput, response: answers(Self) },
    },
    async (request, reply) => {
      await checkPerson(request.body.turnstile, request.ip);
      const { id } = await register(db, secrets, { ...request.body, ip: request.ip }, settings.current());
      const user = await recordSignIn(db, id, request.ip);
      await sessions.signIn(request, reply, { id });
      return ok(await presentSelf(services, user));
    },
  );
}

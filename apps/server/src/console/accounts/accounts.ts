import { LoginInput, Self, SetupInput, SetupLink } from "@gateway/shared/accounts/session";
import { Nothing } from "@gateway/shared/envelope";
import { Settings } from "@gateway/shared/site/settings";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { findGroup } from "#domain/accounts/groups/groups.ts";
import { checkSetupToken, setUp } from "#domain/accounts/setup.ts";
import { getUser, logIn, recordSignIn, permissionsOf } from "#domain/accounts/users.ts";
import type { User } from "#platform/prisma/client.ts";
import type { Sessions } from "./session.ts";

/** Attempts of one address within twenty minutes, on routes where a caller could guess a secret. */
export const GUESS_LIMIT = { max: 20, timeWindow: 1_200_000 };

/** Routes for set-up, sign-in, sign-out, and the signed-in user. */
export function accountRoutes(app: ConsoleApp, services: Services, sessions: Sessions): void {
  const { db, secrets, settings, checkPerson } = services;
  const guessing = { access: "anyone", rateLimit: GUESS_LIMIT } as const;
  const self = { response: answers(Self) };

  app.post(
    "/setup/check",
    {
      config: guessing,
      schema: { summary: "Check a set-up link", body: SetupLink, response: answers(Nothing) },
    },
    async (request) => {
      await checkSetupToken(db, secrets, request.body.token);
      return ok(null);
    },
  );

  app.post(
    "/setup",
    {
      config: guessing,
      schema: { summary: "Create the first administrator with the set-up token", body: SetupInput, ...self },
    },
    async (request, reply) => {
      const { demo, language, ...account } = request.body;
      const { id, username } = await setUp(db, secrets, { ...account, ip: request.ip });
      const known = Settings.shape.Language.safeParse(language);
      await settings.change(
        { id, username, ip: request.ip },
        {
          ...(known.success ? { Language: known.data } : {}),
          ...(demo && services.demo.isOffered() ? { DemoProviderEnabled: true } : {}),
        },
      );
      const user = await recordSignIn(db, id, request.ip);
      await sessions.signIn(request, reply, { id });
      return ok(await presentSelf(services, user));
    },
  );

  app.post(
    "/user/login",
    { config: guessing, schema: { summary: "Sign in with a password", body: LoginInput, ...self } },
    async (request, reply) => {
      await checkPerson(request.body.turnstile, request.ip);
      const passwordLoginEnabled = settings.current().PasswordLoginEnabled;
      const input = { ...request.body, ip: request.ip, passwordLoginEnabled };
      const { user, proven } = await logIn(db, secrets, input);
      await sessions.signIn(request, reply, proven);
      return ok(await presentSelf(services, user));
    },
  );

  // GET exists for the older API.
  for (const method of ["GET", "POST"] as const)
    app.route({
      method,
      url: "/user/logout",
      config: { access: "anyone", checksOrigin: true },
      schema: { summary: "Sign out", response: answers(Nothing) },
      handler: async (request, reply) => {
        await sessions.signOut(request, reply);
        return ok(null);
      },
    });

  app.get(
    "/user/self",
    { config: { access: "user" }, schema: { summary: "Get your account", ...self } },
    async (request) => ok(await presentSelf(services, await getUser(db, viewerOf(request).id))),
  );
}

export async function presentSelf({ db }: Pick<Services, "db">, user: User): Promise<Self> {
  const group = await findGroup(db, user.group);
  return {
    ...present(user),
    permissions: permissionsOf(user),
    group_name: group?.name ?? user.group,
    group_ratio: group?.ratio.toNumber() ?? 1,
    group_api_rate: group?.api_rate ?? 0,
    has_budget: (user.budget ?? group?.budget ?? null) !== null || user.own_month_limit > 0n,
    has_password: user.password_hash !== null,
    has_access_token: user.access_token_hash !== null,
  };
}

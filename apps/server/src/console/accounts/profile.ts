import { AccessToken, OptionalProof, PasswordChange, ProfileInput } from "@gateway/shared/accounts/profile";
import { Self } from "@gateway/shared/accounts/session";
import { Nothing } from "@gateway/shared/envelope";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import {
  changePassword,
  changeProfile,
  renewAccessToken,
  revokeAccessToken,
} from "#domain/accounts/profile.ts";
import { getUser } from "#domain/accounts/users.ts";
import { GUESS_LIMIT, presentSelf } from "./accounts.ts";
import { proveOwner } from "./proof.ts";
import { sessionIdOf } from "./session.ts";

/** Routes with which the signed-in user changes the own account. */
export function profileRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets } = services;
  const config = { access: "user" } as const;
  const nothing = answers(Nothing);

  app.put(
    "/user/self",
    { config, schema: { summary: "Change your profile", body: ProfileInput, response: answers(Self) } },
    async (request) => {
      const user = await changeProfile(db, viewerOf(request).id, request.body);
      return ok(await presentSelf(services, user));
    },
  );

  app.put(
    "/user/self/password",
    {
      config: { ...config, rateLimit: GUESS_LIMIT },
      schema: { summary: "Change your password", body: PasswordChange, response: nothing },
    },
    async (request) => {
      const actor = viewerOf(request);
      const user = await getUser(db, actor.id);
      const currentSession = sessionIdOf(request);
      await changePassword(db, secrets, { actor, user, input: request.body, currentSession });
      return ok(null);
    },
  );

  app.get(
    "/user/aff",
    { config, schema: { summary: "Get your invitation code", response: answers(z.string()) } },
    async (request) => ok((await getUser(db, viewerOf(request).id)).aff_code),
  );

  app.post(
    "/user/token",
    {
      config: { ...config, rateLimit: GUESS_LIMIT },
      schema: {
        summary: "Create a new access token; the old one ends",
        body: OptionalProof,
        response: answers(AccessToken),
      },
    },
    async (request) => {
      const actor = viewerOf(request);
      const owner = await proveOwner(services, request, request.body);
      return ok({ token: await renewAccessToken(db, secrets, actor, owner) });
    },
  );

  app.delete(
    "/user/token",
    { config, schema: { summary: "Delete your access token", response: nothing } },
    async (request) => {
      const actor = viewerOf(request);
      await revokeAccessToken(db, actor, actor.id);
      return ok(null);
    },
  );
}

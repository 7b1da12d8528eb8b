import type { FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "#console/services.ts";
import { type SignInStart, issueState, STATE_MINUTES } from "#domain/accounts/sign-in/sign-in-state.ts";

/** Cookie that binds a sign-in with an identity provider to the browser that began it. */
export const IDENTITY_VISIT_COOKIE = "sign-in";

/** Issues a state for this browser and sets its cookie, for all routes of this sign-in. */
export async function startIdentityVisit(
  request: FastifyRequest,
  reply: FastifyReply,
  { db, secrets }: Pick<Services, "db" | "secrets">,
): Promise<SignInStart> {
  const visit = await issueState(db, secrets, {
    browser: request.cookies[IDENTITY_VISIT_COOKIE],
    userId: request.viewer?.id ?? null,
  });
  void reply.header("cache-control", "no-store").setCookie(IDENTITY_VISIT_COOKIE, visit.browser, {
    path: (request.routeOptions.url ?? "").replace(/(?<=\/oauth)\/.*$/, ""),
    httpOnly: true,
    sameSite: "lax",
    secure: request.protocol === "https",
    maxAge: STATE_MINUTES * 60,
  });
  return visit;
}

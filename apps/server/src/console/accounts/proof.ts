import type { FastifyRequest } from "fastify";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { requireProof } from "#domain/accounts/sign-in/proof.ts";
import { getUser } from "#domain/accounts/users.ts";
import type { User } from "#platform/prisma/client.ts";
import { sessionIdOf } from "./session.ts";

/**
 * Returns the signed-in user after proof that the owner of the account acts. Throws what `requireProof`
 * throws.
 */
export async function proveOwner(
  { db, secrets }: Pick<Services, "db" | "secrets">,
  request: FastifyRequest,
  { password, code }: { password: string; code?: string },
): Promise<User> {
  const user = await getUser(db, viewerOf(request).id);
  const proof = { user, password, ...(code === undefined ? {} : { code }) };
  await requireProof(db, secrets, { ...proof, ip: request.ip, session: sessionIdOf(request) });
  return user;
}

import type { FastifyRequest } from "fastify";

/** The model and the action that Gemini's clients put into the path: `gemini-2.5-flash:streamGenerateContent`. */

/**
 * Returns the route of a path with a target. A wildcard, because names of models contain slashes, and some clients
 * do not escape them.
 */
export function targetRoute(path: string): string {
  return path.replace(":target", "*");
}

/** Returns the target of a path; undefined for a path without one. */
export function targetOf(request: FastifyRequest): { model: string; action: string } | undefined {
  const { "*": target } = request.params as { "*"?: string };
  if (target === undefined) return undefined;
  const colon = target.lastIndexOf(":");
  return { model: target.slice(0, Math.max(0, colon)), action: target.slice(colon + 1) };
}

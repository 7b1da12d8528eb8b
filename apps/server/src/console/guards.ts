import { type AdminArea, type AdminLevel, mayEnter, Role } from "@gateway/shared/accounts/roles";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { forbidden, GatewayError } from "#errors.ts";
import type { Sessions, Viewer } from "./accounts/session.ts";
import { requireOwnOrigin } from "./origin.ts";
import type { Services } from "./services.ts";

/**
 * Who may use a route. Every console route declares it in `config.access`; a route without it prevents the
 * start.
 */
export type RouteAccess = "anyone" | "user" | "admin" | "root";

declare module "fastify" {
  interface FastifyContextConfig {
    access?: RouteAccess;
    /**
     * The area that administrators need rights for. Every route for them declares it; `any` is open to all of
     * them.
     */
    permission?: AdminArea | "any";
    /** The level needed in that area. By default a GET needs "view" and everything else needs "edit". */
    level?: AdminLevel;
    /** A GET that changes something or returns a credential. Its origin is checked as for any other method. */
    checksOrigin?: true;
  }
  interface FastifyRequest {
    /** The signed-in user; null for a guest. */
    viewer: Viewer | null;
    /** Returns whether the caller still has the rights that the guard found. For responses that last long. */
    isStillAllowed: () => Promise<boolean>;
  }
}

const leastRole: Record<RouteAccess, number> = {
  anyone: Role.guest,
  user: Role.user,
  admin: Role.admin,
  root: Role.root,
};

/** Returns the signed-in user of a route that requires one. */
export function viewerOf(request: FastifyRequest): Viewer {
  if (request.viewer === null) throw unauthenticatedError();
  return request.viewer;
}

/** Actions whose result the caller could turn into a balance. */
const balanceReasons = {
  gateway: "balance_by_gateway",
  user: "balance_by_user",
  code: "balance_by_code",
} as const;

/** Returns the administrator who may do this. Throws `forbidden` without the right to give balances. */
export function requireBalances(request: FastifyRequest, what: keyof typeof balanceReasons): Viewer {
  const viewer = viewerOf(request);
  if (mayEnter(viewer, "balances", "edit")) return viewer;
  throw forbidden({ reason: balanceReasons[what] });
}

/** Adds the guard that `config.access` requires, after the route's rate limit. */
export function guardRoute(route: RouteOptions, services: Services, sessions: Sessions): void {
  const access = route.config?.access;
  if (access === undefined) throw new Error(`The route ${route.url} does not say who may use it.`);
  if (route.schema?.response === undefined) {
    throw new Error(`The route ${route.url} does not say what may leave: it needs a response schema.`);
  }
  const { hide, summary } = route.schema;
  if (hide !== true && (summary ?? "") === "") {
    throw new Error(`The route ${route.url} needs a summary for the description of the API.`);
  }
  const need = permissionOf(route, access);
  const before = route.onRequest === undefined ? [] : [route.onRequest].flat();
  route.onRequest = [
    ...before,
    (request, reply) => guard(request, reply, { access, need }, { services, sessions }),
  ];
}

interface RequiredRight {
  area: AdminArea;
  level: AdminLevel;
}

function permissionOf(route: RouteOptions, access: RouteAccess): RequiredRight | undefined {
  const { permission, level } = route.config ?? {};
  if (access !== "admin") return undefined;
  if (permission === undefined)
    throw new Error(`The route ${route.url} is for administrators, but does not name its permission.`);
  if (permission === "any") return undefined;
  const reads = [route.method].flat().every((method) => method === "GET" || method === "HEAD");
  return { area: permission, level: level ?? (reads ? "view" : "edit") };
}

/** Areas with balances, usage or limits of other accounts. What their calls have cost is booked before. */
const areasOfAccounts: ReadonlySet<AdminArea> = new Set([
  "analytics",
  "users",
  "balances",
  "tokens",
  "groups",
]);

async function guard(
  request: FastifyRequest,
  reply: FastifyReply,
  { access, need }: { access: RouteAccess; need: RequiredRight | undefined },
  { services, sessions }: { services: Services; sessions: Sessions },
): Promise<void> {
  const identity = await sessions.identify(request, reply);
  if (identity !== undefined) request.isStillAllowed = () => sessions.isCurrent(request, identity);
  requireOwnOrigin(request, identity?.by ?? "nothing", services.settings.current().ServerAddress);
  if (access === "anyone") {
    request.viewer = identity?.viewer ?? null;
    if (identity !== undefined) await bookCharges(services.db, identity.viewer.id);
    return;
  }
  if (identity === undefined) throw unauthenticatedError();
  if (identity.viewer.role < leastRole[access]) {
    throw forbidden({ reason: "rights_missing" });
  }
  if (need !== undefined && !mayEnter(identity.viewer, need.area, need.level)) {
    throw forbidden({ reason: "rights_not_granted" });
  }
  request.viewer = identity.viewer;
  const showsAll = need !== undefined && areasOfAccounts.has(need.area);
  await bookCharges(services.db, showsAll ? undefined : identity.viewer.id);
}

function unauthenticatedError(): GatewayError {
  return new GatewayError("unauthenticated");
}

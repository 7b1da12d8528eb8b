/**
 * What the OpenAPI descriptions contain for a route besides its schemas: area, operation name, and required
 * access.
 */
import type { FastifyContextConfig, FastifySchema } from "fastify";
import type { jsonSchemaTransform } from "fastify-type-provider-zod";

type Transform = typeof jsonSchemaTransform;

/** Areas by the prefix of a path below `/api`. The longest prefix wins. */
const areas: readonly (readonly [prefix: string, area: string])[] = [
  ["", "Site"],
  ["/analytics", "Analytics"],
  ["/audit", "Audit log"],
  ["/available_model", "Models"],
  ["/channel", "Channels"],
  ["/group", "User groups"],
  ["/icon", "Models"],
  ["/inbox", "Your account"],
  ["/log", "Logs and tasks"],
  ["/mj", "Logs and tasks"],
  ["/model", "Models"],
  ["/oauth", "Sign-in"],
  ["/option", "Settings"],
  ["/overview", "Analytics"],
  ["/ownedby", "Models"],
  ["/payment", "Payments"],
  ["/prices", "Prices"],
  ["/providers", "Channels"],
  ["/redemption", "Redemption codes"],
  ["/reset_password", "Sign-in"],
  ["/setup", "Settings"],
  ["/sse/channel", "Channels"],
  ["/system_info", "Settings"],
  ["/task", "Logs and tasks"],
  ["/token", "Tokens"],
  ["/user", "Users"],
  ["/user/aff", "Your account"],
  ["/user/dashboard", "Your account"],
  ["/user/invoice", "Your account"],
  ["/user/login", "Sign-in"],
  ["/user/logout", "Sign-in"],
  ["/user/order", "Payments"],
  ["/user/payment", "Payments"],
  ["/user/register", "Sign-in"],
  ["/user/reset", "Sign-in"],
  ["/user/self", "Your account"],
  ["/user/token", "Your account"],
  ["/user/topup", "Payments"],
  ["/user/unbind", "Your account"],
  ["/user_group", "User groups"],
  ["/verification", "Sign-in"],
  ["/webauthn", "Sign-in"],
];

export const securitySchemes = {
  accessToken: {
    type: "http",
    scheme: "bearer",
    description: "An access token, created under Profile. The word Bearer may be left out.",
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "session",
    description: "The session of the console.",
  },
} as const;

/** Adds these details to each operation. @param prefix of the addresses: "/api", below the base path */
export function describeRoutes(prefix: string, next: Transform): Transform {
  return (input) => {
    const { schema, route } = input;
    const [method = ""] = [route.method].flat();
    const path = route.url.slice(prefix.length);
    const config = route.config ?? {};
    const described: FastifySchema = {
      ...schema,
      tags: [areaOf(path)],
      operationId: operationOf(method, path),
      description: accessOf(config, method),
      security: config.access === "anyone" ? [] : [{ accessToken: [] }, { session: [] }],
    };
    return next({ ...input, schema: described });
  };
}

function areaOf(path: string): string {
  const fitting = areas.filter(([prefix]) => path.startsWith(prefix));
  return fitting.toSorted(([one], [other]) => other.length - one.length)[0]?.[1] ?? "Site";
}

/** Returns the operation name: `GET /token/:id/key` becomes `getTokenByIdKey`. */
function operationOf(method: string, path: string): string {
  const words = path.split(/[/_-]/).filter((word) => word !== "");
  const named = words.map((word) => {
    if (word === "*") return "ByName";
    return word.startsWith(":") ? `By${capital(word.slice(1))}` : capital(word);
  });
  return method.toLowerCase() + named.join("");
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

function accessOf({ access, permission, level }: FastifyContextConfig, method: string): string {
  switch (access) {
    case "root":
      return "Only for root.";
    case "admin": {
      if (permission === undefined || permission === "any") return "For administrators.";
      const needed = level ?? (method === "GET" ? "view" : "edit");
      return `For administrators who may ${needed} the area ${permission}.`;
    }
    case "user":
      return "For every signed-in account.";
    default:
      return "No credential is needed.";
  }
}

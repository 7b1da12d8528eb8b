import { z } from "zod";
import { answers, type ConsoleApp } from "#console/answer.ts";
import type { Services } from "#console/services.ts";
import { ICON_KEPT_SECONDS } from "#domain/catalog/icons.ts";

/**
 * Limit of the icon route alone. One list loads dozens of icons, which must not use up the caller's general
 * limit.
 */
const ICON_LIMIT = { max: 1_000, timeWindow: 180_000 };

const IconQuery = z.object({ address: z.url({ protocol: /^https?$/ }).max(500) });

/**
 * Route for icons of owners and payment gateways whose addresses operators configured. Public, like the lists
 * that show them.
 */
export function iconRoutes(app: ConsoleApp, { icons }: Services): void {
  app.get(
    "/icon",
    {
      config: { access: "anyone", rateLimit: ICON_LIMIT },
      schema: {
        summary: "Get the icon of a model owner",
        querystring: IconQuery,
        response: { ...answers(z.null()), 200: z.unknown() },
      },
    },
    async (request, reply) => {
      const { mediaType, bytes } = await icons.iconAt(request.query.address);
      return (
        reply
          .type(mediaType)
          .header("cache-control", `public, max-age=${ICON_KEPT_SECONDS}`)
          // Opened directly, an SVG could run a script in our origin.
          .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .header("x-content-type-options", "nosniff")
          .send(bytes)
      );
    },
  );
}

import { Nothing } from "@gateway/shared/envelope";
import { secretSettings, Settings } from "@gateway/shared/settings";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "./answer.ts";
import { viewerOf } from "./guards.ts";
import type { Services } from "./services.ts";

const secretNames: ReadonlySet<string> = new Set(secretSettings);
/** All settings but the secret ones: what the schema does not name cannot leave. */
const PublicSettings = z.object(
  Object.fromEntries(Object.entries(Settings.shape).filter(([key]) => !secretNames.has(key))),
);

const SettingChange = z.object({ key: z.string().min(1).max(64), value: z.unknown() });

/** The runtime settings, for root. */
export function settingRoutes(app: ConsoleApp, { settings }: Services): void {
  const root = { access: "root" } as const;

  app.get("/option", { config: root, schema: { response: answers(PublicSettings) } }, async () =>
    ok({ ...settings.current() }),
  );

  app.put(
    "/option",
    { config: root, schema: { body: SettingChange, response: answers(Nothing) } },
    async (request) => {
      await settings.set(viewerOf(request), request.body.key, request.body.value);
      return ok(null);
    },
  );
}

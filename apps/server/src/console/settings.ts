import { Nothing } from "@gateway/shared/envelope";
import { secretSettings, SettingChange, SettingChanges, SettingsView } from "@gateway/shared/settings";
import { answers, type ConsoleApp, ok } from "./answer.ts";
import { viewerOf } from "./guards.ts";
import type { Services } from "./services.ts";

/** The runtime settings, for root. What the answer's schema does not name, the secrets, cannot leave. */
export function settingRoutes(app: ConsoleApp, { settings }: Services): void {
  const root = { access: "root" } as const;

  app.get("/option", { config: root, schema: { response: answers(SettingsView) } }, async () => {
    const current = settings.current();
    return ok({ ...current, secrets_set: secretSettings.filter((key) => current[key] !== "") });
  });

  app.put(
    "/option",
    { config: root, schema: { body: SettingChange, response: answers(Nothing) } },
    async (request) => {
      await settings.set(viewerOf(request), request.body.key, request.body.value);
      return ok(null);
    },
  );

  app.put(
    "/option/batch",
    { config: root, schema: { body: SettingChanges, response: answers(Nothing) } },
    async (request) => {
      await settings.change(viewerOf(request), request.body.values);
      return ok(null);
    },
  );
}

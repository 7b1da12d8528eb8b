import { Nothing } from "@gateway/shared/envelope";
import { SettingsFile, SettingsPreview } from "@gateway/shared/site/settings-transfer";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { exportSettings, previewSettings } from "#domain/settings/transfer.ts";

/**
 * Routes that export and import settings as a file, for another installation or as a backup. Secrets are not
 * exported.
 */
export function settingTransferRoutes(app: ConsoleApp, { settings, version }: Services): void {
  const config = { access: "root" } as const;

  app.get(
    "/option/export",
    { config, schema: { summary: "Export the settings without secrets", response: answers(SettingsFile) } },
    async () => ok(exportSettings(settings.current(), version)),
  );

  app.post(
    "/option/import/preview",
    {
      config,
      schema: {
        summary: "Preview an import of settings",
        body: SettingsFile,
        response: answers(SettingsPreview),
      },
    },
    async (request) => ok(previewSettings(settings.current(), request.body.values)),
  );

  app.post(
    "/option/import",
    { config, schema: { summary: "Import settings", body: SettingsFile, response: answers(Nothing) } },
    async (request) => {
      const { changes } = previewSettings(settings.current(), request.body.values);
      const values = Object.fromEntries(changes.map(({ key, after }) => [key, after]));
      if (changes.length > 0) await settings.change(viewerOf(request), values);
      return ok(null);
    },
  );
}

import { can, mayEnter } from "@gateway/shared/accounts/roles";
import { Nothing } from "@gateway/shared/envelope";
import { AccentPreview, AccentQuery } from "@gateway/shared/site/formats/accent";
import { isBalanceSetting, isPriceSetting, isRootSetting } from "@gateway/shared/site/root-settings";
import { secretSettings, SettingChange, SettingChanges, SettingsView } from "@gateway/shared/site/settings";
import type { Viewer } from "#console/accounts/session.ts";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import type { Services } from "#console/services.ts";
import { accentPreview } from "#domain/settings/accent.ts";
import { forbidden } from "#errors.ts";

/**
 * Routes for the runtime settings, for administrators. Secrets cannot leave, because the response schema does
 * not name them.
 */
export function settingRoutes(app: ConsoleApp, services: Services): void {
  const { settings } = services;
  const config = { access: "admin", permission: "settings" } as const;

  app.get(
    "/option",
    {
      config,
      schema: {
        summary: "List settings; secrets show only whether they are set",
        response: answers(SettingsView),
      },
    },
    async () => {
      const current = settings.current();
      return ok({ ...current, secrets_set: secretSettings.filter((key) => current[key] !== "") });
    },
  );

  app.get(
    "/option/accent",
    {
      config,
      schema: {
        summary: "Preview the colours that follow from an accent colour",
        querystring: AccentQuery,
        response: answers(AccentPreview),
      },
    },
    async (request) => ok(accentPreview(request.query.color)),
  );

  app.put(
    "/option",
    { config, schema: { summary: "Change a setting", body: SettingChange, response: answers(Nothing) } },
    async (request) => {
      await changeSettings(services, viewerOf(request), { [request.body.key]: request.body.value });
      return ok(null);
    },
  );

  app.put(
    "/option/batch",
    {
      config,
      schema: {
        summary: "Change several settings, all or none",
        body: SettingChanges,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await changeSettings(services, viewerOf(request), request.body.values);
      return ok(null);
    },
  );
}

/**
 * Changes settings. Throws `forbidden` for a setting that only root, or who may edit balances or prices, may change; see
 * `SettingsStore.change` for other errors.
 */
export async function changeSettings(
  { settings }: Pick<Services, "settings">,
  viewer: Viewer,
  values: Record<string, unknown>,
): Promise<void> {
  const reserved = Object.keys(values).find(isRootSetting);
  if (reserved !== undefined && !can(viewer.role, "configure"))
    throw forbidden({ reason: "root_setting", setting: reserved });
  const money = Object.keys(values).find(isBalanceSetting);
  if (money !== undefined && !mayEnter(viewer, "balances", "edit"))
    throw forbidden({ reason: "balance_by_setting", setting: money });
  const prices = Object.keys(values).find(isPriceSetting);
  if (prices !== undefined && !mayEnter(viewer, "prices", "edit"))
    throw forbidden({ reason: "prices_by_setting", setting: prices });
  await settings.change(viewer, values);
}

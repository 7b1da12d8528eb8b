import { discountsFor } from "@gateway/shared/billing/discount";
import { PRICE_CNY_PER_USD } from "@gateway/shared/billing/money";
import { UserGroupMap } from "@gateway/shared/channels/group";
import { homeBlocksOf } from "@gateway/shared/site/formats/home-blocks";
import { SiteStatus } from "@gateway/shared/site/status";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { present } from "#console/present.ts";
import type { Services } from "#console/services.ts";
import { usableGroups } from "#domain/accounts/groups/groups.ts";
import { hasRoot } from "#domain/accounts/setup.ts";
import { listEnabledProviders } from "#domain/identity-providers/identity-providers.ts";
import { canMail, offersReset } from "#domain/settings/mail-account.ts";
import { botName } from "#domain/telegram/bot.ts";
import { unixTime } from "#platform/clock.ts";
import { isAvailable } from "#sign-in/provider.ts";
import { health, ready } from "./state.ts";

/** Public routes: the state of the site, its texts, its public groups. */
export function siteRoutes(app: ConsoleApp, services: Services): void {
  const { db, settings } = services;
  const open = { access: "anyone" } as const;
  const unlimited = { ...open, rateLimit: false } as const;
  // A root account is permanent, so it is looked up only until one exists.
  let rooted = false;
  let offered: SiteStatus["identity_providers"] = [];

  app.get(
    "/status",
    {
      config: open,
      schema: { summary: "Get the public settings of the site", response: answers(SiteStatus) },
    },
    async () => {
      rooted ||= await hasRoot(db);
      // Pages open while the database is away: with the sign-in providers as they were last read.
      offered = await listEnabledProviders(db).catch(() => offered);
      return ok(siteStatus(services, { needsSetup: !rooted, offered }));
    },
  );

  app.get(
    "/health",
    { config: unlimited, schema: { summary: "Check that the process runs", response: { 200: Healthy } } },
    health,
  );

  app.get(
    "/ready",
    {
      config: unlimited,
      schema: { summary: "Check that the node can serve calls", response: { 200: Ready } },
    },
    () => ready(services.readiness),
  );

  const texts = { response: answers(z.string()) };
  app.get("/notice", { config: open, schema: { summary: "Get the announcement", ...texts } }, async () =>
    ok(settings.current().Notice),
  );
  app.get(
    "/about",
    { config: open, schema: { summary: "Get the text of the About page", ...texts } },
    async () => ok(settings.current().About),
  );
  app.get(
    "/home_page_content",
    { config: open, schema: { summary: "Get the text of the home page", ...texts } },
    async () => ok(settings.current().HomePageContent),
  );

  app.get(
    "/user_group_map",
    {
      config: open,
      schema: { summary: "List the user groups that you can see", response: answers(UserGroupMap) },
    },
    async (request) => {
      const groups = await usableGroups(db, request.viewer?.group);
      return ok(Object.fromEntries(groups.map((group) => [group.symbol, present(group)])));
    },
  );

  app.get(
    "/openapi.json",
    { config: open, schema: { hide: true, response: { 200: z.record(z.string(), z.unknown()) } } },
    async () => ({ ...app.swagger() }),
  );

  app.get(
    "/openapi-compat.json",
    { config: open, schema: { hide: true, response: { 200: z.record(z.string(), z.unknown()) } } },
    async () => ({ ...app.swaggerCompat() }),
  );
}

const Healthy = z.object({ status: z.literal("ok") });
const Ready = Healthy.extend({
  stale: z.array(z.string()).optional(),
  problems: z.array(z.string()).optional(),
});

function siteStatus(
  services: Services,
  { needsSetup, offered }: { needsSetup: boolean; offered: SiteStatus["identity_providers"] },
): SiteStatus {
  const settings = services.settings.current();
  const identities = services.identityProviders;
  return {
    version: services.version,
    start_time: unixTime(services.startedAt),
    needs_setup: needsSetup,
    demo_upstream: services.demo.isRunning(),
    demo_offered: services.demo.isOffered(),
    system_name: settings.SystemName,
    logo: settings.Logo,
    accent: settings.AccentColor,
    language: settings.Language,
    footer_html: settings.Footer,
    server_address: settings.ServerAddress,
    quota_per_unit: settings.QuotaPerUnit,
    display_in_currency: settings.DisplayInCurrencyEnabled,
    email_verification: settings.EmailVerificationEnabled,
    sends_mail: canMail(settings),
    password_reset: offersReset(settings),
    passkey_login: settings.PasskeyLoginEnabled,
    register_enabled: settings.RegisterEnabled,
    password_register: settings.PasswordRegisterEnabled,
    password_login: settings.PasswordLoginEnabled,
    github_oauth: isAvailable(identities.github, settings),
    github_client_id: settings.GitHubClientId,
    oidc_auth: isAvailable(identities.oidc, settings),
    identity_providers: offered,
    lark_login: isAvailable(identities.lark, settings),
    lark_client_id: settings.LarkClientId,
    wechat_login: isAvailable(identities.wechat, settings),
    wechat_qrcode: settings.WeChatAccountQRCodeImageURL,
    turnstile_check: settings.TurnstileCheckEnabled,
    turnstile_site_key: settings.TurnstileCheckEnabled ? settings.TurnstileSiteKey : "",
    telegram_bot: botName(settings),
    top_up_link: settings.TopUpLink,
    chat_link: settings.ChatLink,
    chat_links: settings.ChatLinks,
    PaymentUSDRate: settings.PaymentUSDRate,
    price_cny_per_usd: services.settings.isSet("PaymentUSDRate")
      ? settings.PaymentUSDRate
      : PRICE_CNY_PER_USD,
    PaymentMinAmount: settings.PaymentMinAmount,
    // Discounts of single groups are confidential.
    RechargeDiscount: JSON.stringify(Object.fromEntries(discountsFor(settings.RechargeDiscount, ""))),
    EnableSafe: settings.EnableSafe,
    status_page: settings.StatusPageEnabled,
    home_blocks: homeBlocksOf(settings.HomeBlocks),
    mj_notify_enabled: settings.MjNotifyEnabled,
  };
}

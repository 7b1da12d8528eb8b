import { z } from "zod";
import { OfferedIdentityProvider } from "#accounts/identity-provider.ts";
import { homeBlocks } from "#site/formats/home-blocks.ts";

/** Public information about this installation: GET /api/status. */
export const SiteStatus = z.object({
  version: z.string(),
  start_time: z.int(),
  /** There is no root account yet, so the console shows the set-up screen. */
  needs_setup: z.boolean(),
  demo_upstream: z.boolean(),
  /** Set-up and settings can enable the demo provider. */
  demo_offered: z.boolean(),
  system_name: z.string(),
  logo: z.string(),
  /** `#` and six hexadecimal digits; "" is the product's own accent colour. */
  accent: z.string(),
  language: z.string(),
  footer_html: z.string(),
  server_address: z.string(),
  quota_per_unit: z.number(),
  display_in_currency: z.boolean(),
  email_verification: z.boolean(),
  /** A mail server is configured. */
  sends_mail: z.boolean(),
  /** A forgotten password can be reset by mail. */
  password_reset: z.boolean(),
  passkey_login: z.boolean(),
  register_enabled: z.boolean(),
  password_register: z.boolean(),
  password_login: z.boolean(),
  github_oauth: z.boolean(),
  github_client_id: z.string(),
  oidc_auth: z.boolean(),
  /** Providers that root has added, in the order of their buttons. */
  identity_providers: z.array(OfferedIdentityProvider),
  lark_login: z.boolean(),
  lark_client_id: z.string(),
  wechat_login: z.boolean(),
  wechat_qrcode: z.string(),
  turnstile_check: z.boolean(),
  turnstile_site_key: z.string(),
  telegram_bot: z.string(),
  top_up_link: z.string(),
  chat_link: z.string(),
  chat_links: z.string(),
  /** Yuan per dollar, and whole dollars. */
  PaymentUSDRate: z.number(),
  /** Yuan per dollar in shown prices: the rate that an administrator set, else 7. */
  price_cny_per_usd: z.number(),
  PaymentMinAmount: z.int(),
  /** JSON: amounts and ratios that apply to everyone. */
  RechargeDiscount: z.string(),
  EnableSafe: z.boolean(),
  /** The public status page is enabled. */
  status_page: z.boolean(),
  /** Parts of the default home page below its headline. */
  home_blocks: z.array(z.enum(homeBlocks)),
  mj_notify_enabled: z.boolean(),
});
export type SiteStatus = z.infer<typeof SiteStatus>;

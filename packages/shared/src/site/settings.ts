import { z } from "zod";
import { DiscountText } from "#billing/discount.ts";
import { SyncMode } from "#billing/price.ts";
import { because } from "#errors/issue.ts";
import { DisabledModelsText } from "#models/disabled-models.ts";
import { ModelAliasText } from "#models/model-alias.ts";
import { FlagTableText, TokenTableText } from "#models/model-table.ts";
import { mostWebSearches, webSearchEngines } from "#models/web-search.ts";
import { GivenPoints } from "#paging.ts";
import { homeBlocks } from "#site/formats/home-blocks.ts";
import { AccentColor } from "./formats/accent.ts";
import {
  addressList,
  chatLinkList,
  domainList,
  homeBlockList,
  noticeEventList,
  phraseList,
  webAddress,
} from "./formats/setting-formats.ts";
import { SiteAddress } from "./formats/site-address.ts";
import { SiteTimeZone } from "./formats/time-zone.ts";
import { Email } from "./mail.ts";

/**
 * Runtime settings: one flat object with a default for each field. The database stores only values that
 * differ. Fields in `secretSettings` are encrypted at rest and never leave the server.
 */
export const Settings = z.object({
  // site
  SystemName: z.string().trim().min(1, because("name_required")).max(64).default("One Hub"),
  /** An address, a path on this site, or an image as a data URL. */
  Logo: z
    .string()
    .trim()
    .max(90_000)
    .regex(/^(https?:\/\/\S+|\/[^/\s]\S*|data:image\/\S+)?$/i, because("logo_address"))
    .default(""),
  AccentColor: AccentColor.default(""),
  Footer: z.string().max(20_000).default(""),
  Notice: z.string().max(20_000).default(""),
  About: z.string().max(50_000).default(""),
  HomePageContent: z.string().max(50_000).default(""),
  /** Parts of the default home page below its headline. */
  HomeBlocks: homeBlockList.default(homeBlocks.join(",")),
  /** The public address of this site: the only source of links in mails, orders and external sign-ins. */
  ServerAddress: SiteAddress.default(""),
  Language: z.enum(["zh_CN", "zh_HK", "en_US", "ja_JP"]).default("zh_CN"),
  /** Time zone of the days, weeks and months of budgets and spending limits. */
  TimeZone: SiteTimeZone.default("UTC"),
  ChatLink: webAddress(500).default(""),
  ChatLinks: chatLinkList.default(""),
  TopUpLink: webAddress(500).default(""),
  /** Makes the availability of the models of public groups visible to everyone. */
  StatusPageEnabled: z.boolean().default(false),
  /**
   * Enables the simulated provider, unless the environment decides (`DEMO_UPSTREAM`). Disabled again after a
   * restart.
   */
  DemoProviderEnabled: z.boolean().default(false),
  // sign-in
  PasswordLoginEnabled: z.boolean().default(true),
  PasswordRegisterEnabled: z.boolean().default(true),
  RegisterEnabled: z.boolean().default(true),
  EmailVerificationEnabled: z.boolean().default(false),
  EmailDomainRestrictionEnabled: z.boolean().default(false),
  EmailDomainWhitelist: domainList.default(
    "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com",
  ),
  PasskeyLoginEnabled: z.boolean().default(true),
  /** Requires an account's second factor, if it has one, after a sign-in through an identity provider. */
  IdentityProviderSecondFactor: z.boolean().default(true),
  TurnstileCheckEnabled: z.boolean().default(false),
  TurnstileSiteKey: z.string().trim().max(200).default(""),
  TurnstileSecretKey: z.string().trim().max(200).default(""),
  GitHubOAuthEnabled: z.boolean().default(false),
  GitHubClientId: z.string().max(200).default(""),
  GitHubClientSecret: z.string().max(200).default(""),
  LarkAuthEnabled: z.boolean().default(false),
  LarkClientId: z.string().trim().max(200).default(""),
  LarkClientSecret: z.string().max(200).default(""),
  WeChatAuthEnabled: z.boolean().default(false),
  /** Address of the operator's own server for a WeChat official account. */
  WeChatServerAddress: webAddress(300).default(""),
  WeChatServerToken: z.string().max(200).default(""),
  WeChatAccountQRCodeImageURL: webAddress(1_000).default(""),
  OIDCAuthEnabled: z.boolean().default(false),
  OIDCClientId: z.string().trim().max(200).default(""),
  OIDCClientSecret: z.string().max(500).default(""),
  OIDCIssuer: webAddress(300).default(""),
  /** Comma-separated. */
  OIDCScopes: z.string().trim().max(300).default("openid,profile,email"),
  /** Claims that provide the name of a new account. */
  OIDCUsernameClaims: z.string().trim().max(100).default("preferred_username"),
  // mail
  /** A host name; "" = mail is disabled. */
  SMTPServer: z
    .string()
    .trim()
    .max(253)
    .regex(/^[a-z0-9.:_-]*$/i, because("host_name"))
    .default(""),
  /** Port 465 is encrypted from the first byte; others use STARTTLS. */
  SMTPPort: z.int().min(1).max(65_535).default(587),
  SMTPAccount: z.string().trim().max(254).default(""),
  SMTPToken: z.string().max(500).default(""),
  /** "" = the SMTP account. */
  SMTPFrom: z.union([z.literal(""), Email]).default(""),
  /** Sends nothing rather than the mail and the password without encryption. */
  SMTPRequireTLS: z.boolean().default(true),
  // notices
  /** Minutes within which the same event is notified only once. */
  NotifyQuietMinutes: z.int().min(1).max(10_080).default(30),
  NotifyEmailEnabled: z.boolean().default(false),
  /** "" = the address of root. */
  NotifyEmailTo: addressList.default(""),
  NotifyEmailEvents: noticeEventList,
  NotifyTelegramEnabled: z.boolean().default(false),
  NotifyTelegramBotKey: z.string().trim().max(200).default(""),
  NotifyTelegramChatId: z.string().trim().max(100).default(""),
  NotifyTelegramServer: webAddress(300).default("https://api.telegram.org"),
  NotifyTelegramEvents: noticeEventList,
  NotifyLarkEnabled: z.boolean().default(false),
  /** Anyone who knows a robot's address can post through it, so it is kept as a secret. */
  NotifyLarkWebhook: webAddress(500).default(""),
  NotifyLarkSecret: z.string().trim().max(200).default(""),
  NotifyLarkEvents: noticeEventList,
  NotifyDingTalkEnabled: z.boolean().default(false),
  NotifyDingTalkWebhook: webAddress(500).default(""),
  NotifyDingTalkSecret: z.string().trim().max(200).default(""),
  NotifyDingTalkEvents: noticeEventList,
  NotifyWeComEnabled: z.boolean().default(false),
  NotifyWeComWebhook: webAddress(500).default(""),
  NotifyWeComEvents: noticeEventList,
  NotifyPushDeerEnabled: z.boolean().default(false),
  NotifyPushDeerKey: z.string().trim().max(200).default(""),
  NotifyPushDeerServer: webAddress(300).default("https://api2.pushdeer.com"),
  NotifyPushDeerEvents: noticeEventList,
  NotifyWebhookEnabled: z.boolean().default(false),
  NotifyWebhookAddress: webAddress(500).default(""),
  NotifyWebhookSecret: z.string().trim().max(200).default(""),
  NotifyWebhookEvents: noticeEventList,
  // The bot for users. The bot that notifies operators can be another one.
  TelegramBotToken: z
    .string()
    .trim()
    .max(200)
    .regex(/^(\d+:[\w-]+)?$/, because("bot_token"))
    .default(""),
  TelegramBotServer: webAddress(300).default("https://api.telegram.org"),
  /** As returned by Telegram when the bot was registered, without the @. */
  TelegramBotUsername: z.string().trim().max(64).default(""),
  // money
  /** Points. Users whose balance falls below get one mail per fall. 0 = no mail. */
  QuotaRemindThreshold: z.int().min(0).default(1_000),
  QuotaPerUnit: z.number().positive().default(500_000),
  DisplayInCurrencyEnabled: z.boolean().default(true),
  QuotaForNewUser: GivenPoints.min(0).default(0),
  QuotaForInviter: GivenPoints.min(0).default(0),
  QuotaForInvitee: GivenPoints.min(0).default(0),
  /** Sign-ups per network that get gifts. The allowance refills one by one within a day; 0 = no limit. */
  GiftsPerNetworkPerDay: z.int().min(0).max(100_000).default(5),
  /** Days until a balance expires after the last top-up; 0 = never. */
  QuotaValidityDays: z.int().min(0).max(3650).default(180),
  /** Yuan per dollar, for gateways that charge yuan. */
  PaymentUSDRate: z
    .number(because("number_above_zero"))
    .gt(0, because("number_above_zero"))
    .max(1_000)
    .multipleOf(0.000_001, because("decimals_6"))
    .default(7.3),
  /** Whole dollars. */
  PaymentMinAmount: z.int().min(1).max(1_000_000).default(1),
  /** JSON: amounts and their multipliers, see discount.ts. */
  RechargeDiscount: DiscountText.default(""),
  /** Charges a model without a price with ratio 30, like One Hub, instead of rejecting the call. */
  ChargeUnpricedModels: z.boolean().default(false),
  /** Address of the price list; "" = the list that is included in this version. */
  UpdatePriceService: webAddress(500).default(""),
  /** Imports that list automatically, with the interval and mode below. */
  PriceUpdateEnabled: z.boolean().default(false),
  PriceUpdateHours: z.int().min(1).max(720).default(24),
  PriceUpdateMode: SyncMode.default("add"),
  /** Output tokens assumed for the reservation when neither the caller nor the model sets a limit. */
  DefaultMaxOutputTokens: z.int().min(1).max(1_000_000).default(4096),
  // relay
  RetryTimes: z.int().min(0).max(20).default(3),
  /** Seconds after the start of a request within which retries are made. */
  RetryTimeOut: z.int().min(0).max(600).default(60),
  /** Seconds that a failed channel is paused for a model when the provider sends no duration. */
  RetryCooldownSeconds: z.int().min(0).max(3600).default(5),
  /** Pauses a model of a channel for every account when too many of its calls fail and a test confirms it. */
  CircuitBreakerEnabled: z.boolean().default(true),
  /** Percentage of at least eight calls within a minute that must fail. */
  CircuitBreakerThreshold: z.int().min(1).max(100).default(50),
  /** Seconds of the first pause. Each consecutive one is twice as long, up to ten times the first. */
  CircuitBreakerSeconds: z.int().min(1).max(3600).default(30),
  /** Minutes that an agent session stays on the channel and key that last served it; 0 = off. */
  SessionAffinityMinutes: z.int().min(0).max(1_440).default(60),
  /** Percentage of a session's budget from which its calls use a cheaper model; 0 = only when it is used up. */
  SessionFallbackPercent: z.int().min(0).max(100).default(80),
  /** JSON: a cheaper model by model, for sessions whose budget runs out. */
  SessionFallbackModels: ModelAliasText.default(""),
  ConnectTimeoutMs: z.int().min(100).max(60_000).default(5_000),
  FirstByteTimeoutMs: z.int().min(1_000).max(3_600_000).default(300_000),
  IdleTimeoutMs: z.int().min(1_000).max(3_600_000).default(120_000),
  /** Maximum duration of a response in seconds, even if bytes still arrive; 0 = off. */
  MaxAnswerSeconds: z.int().min(0).max(86_400).default(3_600),
  /** Seconds to keep reading a response after its client disconnected, to learn its usage; 0 = off. */
  DisconnectDrainSeconds: z.int().min(0).max(60).default(5),
  /** Seconds without data after which a stream gets a heartbeat comment; 0 = never. */
  HeartbeatSeconds: z.int().min(0).max(90).default(15),
  /** Minutes that a response is cached for tokens with caching enabled; 0 = never. */
  AnswerCacheMinutes: z.int().min(0).max(43_200).default(60),
  /** Price of a cached response, as a percentage of a new one. */
  AnswerCachePercent: z.int().min(0).max(100).default(0),
  /** Maximum size of a cached response. */
  AnswerCacheKilobytes: z.int().min(1).max(4_096).default(256),
  /** Seconds after which a realtime session without any event is closed. */
  RealtimeIdleSeconds: z.int().min(1).max(3_600).default(300),
  /** Responses API over WebSocket. When disabled, an upgrade returns 426 and clients continue over HTTP. */
  ResponsesWebSocketEnabled: z.boolean().default(true),
  /** The search service for models without a web search of their own; "" = none. */
  WebSearchEngine: z.enum(["", ...webSearchEngines]).default(""),
  /** Address of the search service, which may be private; "" = its public one. */
  WebSearchAddress: webAddress(300).default(""),
  WebSearchKey: z.string().trim().max(500).default(""),
  /** US dollars that a call pays for each of its searches, before the ratio of its group. */
  WebSearchPrice: z.number().min(0).max(100).multipleOf(0.000_001, because("decimals_6")).default(0.01),
  /** Most searches of one call. A client may allow fewer. */
  WebSearchMaxUses: z.int().min(1).max(mostWebSearches).default(5),
  /** Pages that a model gets for each search. */
  WebSearchResults: z.int().min(1).max(20).default(8),
  /** Seconds until a search without a response has failed. */
  WebSearchTimeoutSeconds: z.int().min(1).max(60).default(10),
  /** Quotes: prices that a call will not exceed. When disabled, requests for quotes and with quotes are refused. */
  QuotesEnabled: z.boolean().default(true),
  /** Seconds in which a quote can be used. The operator pays for price changes in this time. */
  QuoteSeconds: z.int().min(30).max(3_600).default(300),
  /** Quotes of an account that can still be used. */
  QuotesPerAccount: z.int().min(1).max(10_000).default(1_000),
  /** Endpoints of these clients. Chat and Responses are always enabled. */
  ClaudeAPIEnabled: z.boolean().default(true),
  GeminiAPIEnabled: z.boolean().default(true),
  /** JSON: aliases under which models are listed and called. Claude Code shows only names with "claude". */
  ModelAliases: ModelAliasText.default(""),
  /** Exact names of models that no channel serves until they are enabled again, one per line. */
  DisabledModels: DisabledModelsText.default(""),
  /** JSON by model: output tokens of an Anthropic model when a client of another dialect sets no limit. */
  ClaudeDefaultMaxTokens: TokenTableText.default('{"default": 8192}'),
  /** Share of that limit for thinking when the client sends no budget; 0 = the model decides. */
  ClaudeBudgetTokensPercentage: z.number().min(0, because("share")).max(0.95, because("share")).default(0.8),
  /**
   * JSON by model: Gemini models whose thoughts are sent to clients of other dialects without being
   * requested.
   */
  GeminiOpenThink: FlagTableText.default(""),
  /**
   * Notifies clients of finished tasks at their callback address, which reveals this server's own address to
   * them.
   */
  MjNotifyEnabled: z.boolean().default(true),
  /** Minutes after which a task fails and is refunded; 0 = one hour, three hours for Kling. */
  TaskDeadlineMinutes: z.int().min(0).max(10_080).default(0),
  /** Rejects chats in which a message contains one of these phrases. */
  EnableSafe: z.boolean().default(false),
  SafeKeyWords: phraseList.default(""),
  AutomaticDisableChannelEnabled: z.boolean().default(true),
  /** A provider error with one of these phrases counts against the key, whatever its status. */
  DisableChannelKeywords: phraseList.default(
    [
      "Your credit balance is too low",
      "This organization has been disabled",
      "API key not valid",
      "The security token included in the request is invalid",
    ].join("\n"),
  ),
  AutomaticEnableChannelEnabled: z.boolean().default(true),
  /** Seconds. A channel with slower tests is disabled. 0 = never. */
  ChannelDisableThreshold: z.number().min(0).max(600).default(0),
  /** Minutes between two tests of all enabled channels; 0 = manual tests only. */
  ChannelTestFrequency: z.int().min(0).max(10_080).default(0),
  /** Minutes between two refreshes of all balances; 0 = manual refreshes only. */
  ChannelUpdateFrequency: z.int().min(0).max(10_080).default(0),
  /** Hours between two comparisons of all channels with the model lists of their providers; 0 = manual only. */
  ModelListCheckHours: z.int().min(0).max(720).default(24),
  // logs
  LogRetentionDays: z.int().min(0).max(3650).default(0),
  /** Maximum size of the log and the kept bodies together, in gigabytes; 0 = no limit. */
  LogRetentionGigabytes: z.int().min(0).max(1_000_000).default(0),
  /** Bodies are kept only where a token or a channel enables it. */
  BodyRetentionDays: z.int().min(1).max(365).default(7),
  /** Maximum size per body; the rest is truncated. */
  BodyKilobytes: z.int().min(1).max(1_024).default(64),
  // backups
  BackupEnabled: z.boolean().default(false),
  /** Hours between two backups. */
  BackupHours: z.int().min(1).max(720).default(24),
  /** "" = backups are not encrypted. */
  BackupPassphrase: z.string().max(500).default(""),
  BackupKeepLast: z.int().min(1).max(1_000).default(7),
  /** Days in which backups are kept besides the newest ones; 0 = off. */
  BackupKeepDays: z.int().min(0).max(3_650).default(0),
  /** The folder `backups` in DATA_DIR, or a bucket. */
  BackupPlace: z.enum(["folder", "s3"]).default("folder"),
  /** "" = AWS. */
  BackupS3Endpoint: webAddress(300).default(""),
  BackupS3Region: z.string().trim().min(1).max(64).default("us-east-1"),
  BackupS3Bucket: z.string().trim().max(63).default(""),
  BackupS3Prefix: z.string().trim().max(300).default(""),
  BackupS3AccessKey: z.string().trim().max(200).default(""),
  BackupS3SecretKey: z.string().trim().max(200).default(""),
  // log export
  LogExportEnabled: z.boolean().default(false),
  /** The folder `log-export` in DATA_DIR, or a bucket. */
  LogExportPlace: z.enum(["folder", "s3"]).default("folder"),
  /** "" = AWS. */
  LogExportS3Endpoint: webAddress(300).default(""),
  LogExportS3Region: z.string().trim().min(1).max(64).default("us-east-1"),
  LogExportS3Bucket: z.string().trim().max(63).default(""),
  LogExportS3Prefix: z.string().trim().max(300).default(""),
  LogExportS3AccessKey: z.string().trim().max(200).default(""),
  LogExportS3SecretKey: z.string().trim().max(200).default(""),
  // new versions
  ReleaseCheckEnabled: z.boolean().default(false),
  /** Returns the latest release as GitHub's API does; "" = the repository of this program. */
  ReleaseCheckAddress: webAddress(500).default(""),
});
export type Settings = z.infer<typeof Settings>;
export type SettingKey = keyof Settings;

const secrets = [
  "GitHubClientSecret",
  "LarkClientSecret",
  "WeChatServerToken",
  "OIDCClientSecret",
  "TurnstileSecretKey",
  "SMTPToken",
  "NotifyTelegramBotKey",
  "TelegramBotToken",
  "NotifyLarkWebhook",
  "NotifyLarkSecret",
  "NotifyDingTalkWebhook",
  "NotifyDingTalkSecret",
  "NotifyWeComWebhook",
  "NotifyPushDeerKey",
  "NotifyWebhookSecret",
  "WebSearchKey",
  "BackupPassphrase",
  "BackupS3SecretKey",
  "LogExportS3SecretKey",
] as const satisfies readonly SettingKey[];
export const secretSettings: readonly SettingKey[] = secrets;

export const defaultSettings: Settings = Settings.parse({});

/** PUT /api/option. */
export const SettingChange = z.object({ key: z.string().min(1).max(64), value: z.unknown() });

/** Body of PUT /api/option/batch: values by name, all or nothing. Null restores the default. */
export const SettingChanges = z.object({
  values: z.record(z.string().min(1).max(64), z.unknown()).refine((values) => {
    const count = Object.keys(values).length;
    return count > 0 && count <= 100;
  }, because("settings_count")),
});

const secretNames: ReadonlySet<string> = new Set(secrets);

/** Response of GET /api/option: every setting that is not a secret, and which secrets are set. */
export const SettingsView = z.object({
  ...(Object.fromEntries(Object.entries(Settings.shape).filter(([key]) => !secretNames.has(key))) as Omit<
    typeof Settings.shape,
    (typeof secrets)[number]
  >),
  secrets_set: z.array(z.string()),
});
export type SettingsView = z.infer<typeof SettingsView>;

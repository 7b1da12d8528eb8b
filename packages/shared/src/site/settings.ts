import { z } from "zod";
import { DiscountText } from "#billing/discount.ts";
import { SyncMode } from "#billing/price.ts";
import { ModelAliasText } from "#channels/model-alias.ts";
import { FlagTableText, TokenTableText } from "#channels/model-table.ts";
import { because } from "#errors/issue.ts";
import { GivenPoints } from "#paging.ts";
import { phrasesOf } from "#phrase-list.ts";
import { ChatLinkEntry } from "./chat-link.ts";
import { domainsOf, Email } from "./mail.ts";
import { EventList, noticeEvents } from "./notice.ts";
import { SiteAddress } from "./site-address.ts";
import { SiteTimeZone } from "./time-zone.ts";

/** "", or an address people can open. */
const webAddress = (most: number) =>
  z
    .string()
    .trim()
    .max(most)
    .regex(/^(https?:\/\/[^\s/]+\S*)?$/i, because("http_address"));

/** The list of chat clients, as the older API has it: JSON in a text. */
const chatLinkList = z
  .string()
  .max(20_000)
  .superRefine((text, context) => {
    const problem = text.trim() === "" ? undefined : problemOfChatLinks(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

function problemOfChatLinks(text: string): string | undefined {
  try {
    return z.array(ChatLinkEntry).max(50).safeParse(JSON.parse(text)).error?.issues[0]?.message;
  } catch {
    return because("json_text");
  }
}

const domainList = z
  .string()
  .trim()
  .max(5_000)
  .refine((list) => domainsOf(list).every((domain) => z.hostname().safeParse(domain).success), {
    error: because("domain_list"),
  });

/** One phrase per line; a phrase of one letter would be in every sentence. */
const phraseList = z
  .string()
  .max(20_000)
  .refine((list) => phrasesOf(list).every((phrase) => phrase.length > 1), {
    error: because("phrase_too_short"),
  });

/** Mail addresses with commas between them. */
const addressList = z
  .string()
  .trim()
  .max(1_000)
  .refine((list) => list === "" || list.split(",").every((email) => Email.safeParse(email).success), {
    error: because("email_list"),
  });

/** What every way of telling operators something has in common. */
const noticeEventList = EventList.default(noticeEvents.join(","));

/**
 * Runtime settings: one flat object, each field with its default. The database holds only what differs. Fields
 * named in `secretSettings` are encrypted at rest and never leave the server.
 */
export const Settings = z.object({
  // site
  SystemName: z.string().trim().min(1, because("name_required")).max(64).default("One Hub"),
  /** An address, a path on this site, or a picture as a data URL. */
  Logo: z
    .string()
    .trim()
    .max(90_000)
    .regex(/^(https?:\/\/\S+|\/[^/\s]\S*|data:image\/\S+)?$/i, because("logo_address"))
    .default(""),
  Footer: z.string().max(20_000).default(""),
  Notice: z.string().max(20_000).default(""),
  About: z.string().max(50_000).default(""),
  HomePageContent: z.string().max(50_000).default(""),
  /** The public address of this site: the only source of links in mails, orders and sign-ins elsewhere. */
  ServerAddress: SiteAddress.default(""),
  Language: z.enum(["zh_CN", "zh_HK", "en_US", "ja_JP"]).default("zh_CN"),
  /** Whose midnight ends the days, weeks and months of budgets and spending limits. */
  TimeZone: SiteTimeZone.default("UTC"),
  ChatLink: webAddress(500).default(""),
  ChatLinks: chatLinkList.default(""),
  TopUpLink: webAddress(500).default(""),
  /** Anyone may see how available the models of the public groups are. */
  StatusPageEnabled: z.boolean().default(false),
  /** The simulated provider, unless the environment decides (`DEMO_UPSTREAM`). Off again after a restart. */
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
  /** Who signs in through an identity provider is asked for the second factor of the account, if it has one. */
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
  /** A server of ours that speaks for an official account. */
  WeChatServerAddress: webAddress(300).default(""),
  WeChatServerToken: z.string().max(200).default(""),
  WeChatAccountQRCodeImageURL: webAddress(1_000).default(""),
  OIDCAuthEnabled: z.boolean().default(false),
  OIDCClientId: z.string().trim().max(200).default(""),
  OIDCClientSecret: z.string().max(500).default(""),
  OIDCIssuer: webAddress(300).default(""),
  /** With commas between them. */
  OIDCScopes: z.string().trim().max(300).default("openid,profile,email"),
  /** The claim that a new account takes its name from. */
  OIDCUsernameClaims: z.string().trim().max(100).default("preferred_username"),
  // mail
  /** A host name; "" = no mail is sent. */
  SMTPServer: z
    .string()
    .trim()
    .max(253)
    .regex(/^[a-z0-9.:_-]*$/i, because("host_name"))
    .default(""),
  /** 465 is encrypted from the first byte; others switch to encryption on the way. */
  SMTPPort: z.int().min(1).max(65_535).default(587),
  SMTPAccount: z.string().trim().max(254).default(""),
  SMTPToken: z.string().max(500).default(""),
  /** "" = the account. */
  SMTPFrom: z.union([z.literal(""), Email]).default(""),
  /** Rather send nothing than send it, and the password, where others can read along. */
  SMTPRequireTLS: z.boolean().default(true),
  // notices
  /** Minutes within which the same thing is told once. */
  NotifyQuietMinutes: z.int().min(1).max(10_080).default(30),
  NotifyEmailEnabled: z.boolean().default(false),
  /** "" = root's own address. */
  NotifyEmailTo: addressList.default(""),
  NotifyEmailEvents: noticeEventList,
  NotifyTelegramEnabled: z.boolean().default(false),
  NotifyTelegramBotKey: z.string().trim().max(200).default(""),
  NotifyTelegramChatId: z.string().trim().max(100).default(""),
  NotifyTelegramServer: webAddress(300).default("https://api.telegram.org"),
  NotifyTelegramEvents: noticeEventList,
  NotifyLarkEnabled: z.boolean().default(false),
  /** Whoever knows the address of a robot can speak through it, so it is kept like a password. */
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
  // the bot people write to; the one that tells operators may be another
  TelegramBotToken: z
    .string()
    .trim()
    .max(200)
    .regex(/^(\d+:[\w-]+)?$/, because("bot_token"))
    .default(""),
  TelegramBotServer: webAddress(300).default("https://api.telegram.org"),
  /** As Telegram said when the bot was registered; without the @. */
  TelegramBotUsername: z.string().trim().max(64).default(""),
  // money
  /** Points; who falls below is told by mail, once per fall. 0 = no one. */
  QuotaRemindThreshold: z.int().min(0).default(1_000),
  QuotaPerUnit: z.number().positive().default(500_000),
  DisplayInCurrencyEnabled: z.boolean().default(true),
  QuotaForNewUser: GivenPoints.min(0).default(0),
  QuotaForInviter: GivenPoints.min(0).default(0),
  QuotaForInvitee: GivenPoints.min(0).default(0),
  /** Sign-ups from one network that receive gifts at once, regained one by one within a day; 0 = no limit. */
  GiftsPerNetworkPerDay: z.int().min(0).max(100_000).default(5),
  /** Days a balance lives after the last top-up; 0 = for ever. */
  QuotaValidityDays: z.int().min(0).max(3650).default(180),
  /** Yuan for one dollar, at gateways that take yuan. */
  PaymentUSDRate: z
    .number(because("number_above_zero"))
    .gt(0, because("number_above_zero"))
    .max(1_000)
    .multipleOf(0.000_001, because("decimals_6"))
    .default(7.3),
  /** Whole dollars. */
  PaymentMinAmount: z.int().min(1).max(1_000_000).default(1),
  /** JSON: amounts and what they are multiplied by, see discount.ts. */
  RechargeDiscount: DiscountText.default(""),
  /** Charge a model without a price like One Hub did (ratio 30) instead of refusing it. */
  ChargeUnpricedModels: z.boolean().default(false),
  /** Where the price list is fetched from; "" = the list that this version brings. */
  UpdatePriceService: webAddress(500).default(""),
  /** Take that list over by itself, every so many hours, in this way. */
  PriceUpdateEnabled: z.boolean().default(false),
  PriceUpdateHours: z.int().min(1).max(720).default(24),
  PriceUpdateMode: SyncMode.default("add"),
  /** Output tokens assumed for the reservation when neither caller nor model says. */
  DefaultMaxOutputTokens: z.int().min(1).max(1_000_000).default(4096),
  // relay
  RetryTimes: z.int().min(0).max(20).default(3),
  /** Seconds from the start of a request after which no further attempt is made. */
  RetryTimeOut: z.int().min(0).max(600).default(60),
  /** Seconds a failed channel is frozen for a model when the provider does not say. */
  RetryCooldownSeconds: z.int().min(0).max(3600).default(5),
  /** Pauses a model of a channel for every account when too large a share of its calls fail and a test confirms it. */
  CircuitBreakerEnabled: z.boolean().default(true),
  /** Percent of at least eight calls within a minute that must fail. */
  CircuitBreakerThreshold: z.int().min(1).max(100).default(50),
  /** Seconds of the first pause; each further one in a row is twice as long, up to ten times. */
  CircuitBreakerSeconds: z.int().min(1).max(3600).default(30),
  /** Minutes for which a session of an agent stays on the channel and key that served it last; 0 = off. */
  SessionAffinityMinutes: z.int().min(0).max(1_440).default(60),
  ConnectTimeoutMs: z.int().min(100).max(60_000).default(5_000),
  FirstByteTimeoutMs: z.int().min(1_000).max(3_600_000).default(300_000),
  IdleTimeoutMs: z.int().min(1_000).max(3_600_000).default(120_000),
  /** Seconds after which an answer is ended although bytes keep coming; 0 = off. */
  MaxAnswerSeconds: z.int().min(0).max(86_400).default(3_600),
  /** Seconds for which an answer is read on after its client disconnected, to learn its usage; 0 = off. */
  DisconnectDrainSeconds: z.int().min(0).max(60).default(5),
  /** Seconds of silence after which a stream gets a heartbeat comment; 0 = never. */
  HeartbeatSeconds: z.int().min(0).max(90).default(15),
  /** Minutes for which a token that wants it gets the same answer to the same request; 0 = never. */
  AnswerCacheMinutes: z.int().min(0).max(43_200).default(60),
  /** What such an answer costs, of what a new one would. */
  AnswerCachePercent: z.int().min(0).max(100).default(0),
  /** Longer answers are not kept. */
  AnswerCacheKilobytes: z.int().min(1).max(4_096).default(256),
  /** Seconds after which a realtime session without any event is closed. */
  RealtimeIdleSeconds: z.int().min(1).max(3_600).default(300),
  /** Responses over WebSocket. Off: an upgrade gets 426, and clients go on over HTTP. */
  ResponsesWebSocketEnabled: z.boolean().default(true),
  /** The endpoints of these clients; Chat and Responses are always open. */
  ClaudeAPIEnabled: z.boolean().default(true),
  GeminiAPIEnabled: z.boolean().default(true),
  /** JSON: further names under which models are listed and called. Claude Code shows only names with "claude". */
  ModelAliases: ModelAliasText.default(""),
  /** JSON by model: what an Anthropic model may write when a client of another dialect does not say. */
  ClaudeDefaultMaxTokens: TokenTableText.default('{"default": 8192}'),
  /** Of that, what it may think when the client wants thinking and names no measure; 0 = it decides itself. */
  ClaudeBudgetTokensPercentage: z.number().min(0, because("share")).max(0.95, because("share")).default(0.8),
  /** JSON by model: Gemini models whose thoughts are shown to clients of another dialect who did not ask. */
  GeminiOpenThink: FlagTableText.default(""),
  /** Tell clients of a finished task at the address they gave. They learn this server's own address by it. */
  MjNotifyEnabled: z.boolean().default(true),
  /** Minutes after which a task counts as failed and is paid back; 0 = an hour, for Kling three. */
  TaskDeadlineMinutes: z.int().min(0).max(10_080).default(0),
  /** Refuse chats in which someone says one of these phrases. */
  EnableSafe: z.boolean().default(false),
  SafeKeyWords: phraseList.default(""),
  AutomaticDisableChannelEnabled: z.boolean().default(true),
  /** A provider's error with one of these phrases speaks against the key, whatever its status. */
  DisableChannelKeywords: phraseList.default(
    [
      "Your credit balance is too low",
      "This organization has been disabled",
      "API key not valid",
      "The security token included in the request is invalid",
    ].join("\n"),
  ),
  AutomaticEnableChannelEnabled: z.boolean().default(true),
  /** Seconds; a channel whose tests take longer is switched off. 0 = never. */
  ChannelDisableThreshold: z.number().min(0).max(600).default(0),
  /** Minutes between two tests of all channels that are on; 0 = only when someone asks. */
  ChannelTestFrequency: z.int().min(0).max(10_080).default(0),
  /** Minutes between two refreshes of all balances; 0 = only when someone asks. */
  ChannelUpdateFrequency: z.int().min(0).max(10_080).default(0),
  // logs
  LogRetentionDays: z.int().min(0).max(3650).default(0),
  /** Gigabytes that the log and the kept bodies may take together; 0 = no limit. */
  LogRetentionGigabytes: z.int().min(0).max(1_000_000).default(0),
  /** Requests and answers are kept only where a token or a channel asks for it. */
  BodyRetentionDays: z.int().min(1).max(365).default(7),
  /** Of each body; the rest is cut off. */
  BodyKilobytes: z.int().min(1).max(1_024).default(64),
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
] as const satisfies readonly SettingKey[];
export const secretSettings: readonly SettingKey[] = secrets;

/** Prefixes of the settings that decide who can sign in as whom, or where links and mails of this site lead. */
const takeover = /^(GitHub|Lark|WeChat|OIDC|SMTP|TelegramBot|ServerAddress$)/;

/** Only root changes these: with them an administrator could take over the root account. */
export function isRootSetting(key: string): boolean {
  return takeover.test(key);
}

export const defaultSettings: Settings = Settings.parse({});

/** PUT /api/option. */
export const SettingChange = z.object({ key: z.string().min(1).max(64), value: z.unknown() });

/** PUT /api/option/batch: by name, all or nothing; null goes back to the default. */
export const SettingChanges = z.object({
  values: z.record(z.string().min(1).max(64), z.unknown()).refine((values) => {
    const count = Object.keys(values).length;
    return count > 0 && count <= 100;
  }, because("settings_count")),
});

const secretNames: ReadonlySet<string> = new Set(secrets);

/** GET /api/option: every setting that is no secret, and which secrets are set. */
export const SettingsView = z.object({
  ...(Object.fromEntries(Object.entries(Settings.shape).filter(([key]) => !secretNames.has(key))) as Omit<
    typeof Settings.shape,
    (typeof secrets)[number]
  >),
  secrets_set: z.array(z.string()),
});
export type SettingsView = z.infer<typeof SettingsView>;

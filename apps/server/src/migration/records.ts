/** What a product's reader hands over, in this gateway's terms; groups still carry the names of the source. */
import type { Budget } from "@gateway/shared/accounts/budget";
import type { TokenSetting } from "@gateway/shared/accounts/token";
import type { ChannelInput } from "@gateway/shared/channels/channel";
import type { Reason } from "@gateway/shared/reasons";
import type { Usage } from "#dialects/ir.ts";
import type { SavePrice } from "#domain/pricing/prices.ts";
import type { ActivePrice } from "#domain/pricing/pricing.ts";

export interface GroupRecord {
  id: number;
  symbol: string;
  name: string;
  ratio: string;
  public: boolean;
  enable: boolean;
  apiRate: number;
  promotion: boolean;
  min: number;
  max: number;
}

export interface UserRecord {
  id: number;
  username: string;
  passwordHash: string;
  displayName: string;
  role: number;
  status: number;
  email: string;
  avatarUrl: string;
  group: string;
  quota: bigint;
  used: bigint;
  requestCount: bigint;
  accessToken: string;
  affCode: string;
  inviterId: number;
  /** Undefined where the source does not count them. */
  affCount: number | undefined;
  affQuota: bigint;
  affHistory: bigint;
  language: string;
  lastLoginTime: Date | undefined;
  lastLoginIp: string;
  createdTime: Date | undefined;
  deletedAt: Date | undefined;
  budget?: Budget;
  identities: { provider: string; subject: string; label: string }[];
}

export interface PasskeyRecord {
  userId: number;
  credentialId: Uint8Array<ArrayBuffer>;
  publicKey: Uint8Array<ArrayBuffer>;
  alias: string;
  signCount: bigint;
  backedUp: boolean;
  transports: string[];
  createdTime: Date | undefined;
  lastUsed: Date | undefined;
}

export interface SecondFactorRecord {
  userId: number;
  secret: Uint8Array;
}

export interface TokenRecord {
  id: number;
  userId: number;
  /** Without `sk-`; "" where only `hash` is known. */
  key: string;
  /** SHA-256 of the whole key, in hexadecimal, of a source that keeps no keys. */
  hash?: string;
  budget?: Budget;
  name: string;
  status: number;
  createdTime: Date | undefined;
  accessedTime: Date | undefined;
  expiredTime: Date | null;
  unlimited: boolean;
  remain: bigint;
  used: bigint;
  group: string;
  backupGroup: string;
  setting: TokenSetting;
  billingTag: string;
  deletedAt: Date | undefined;
  /** Whether the old gateway would accept the key. */
  worked: boolean;
}

export interface ChannelRecord {
  id: number;
  input: Omit<ChannelInput, "key" | "key_mode">;
  keys: { key: string; status: number; reason: Reason | undefined }[];
  status: number;
  /** Undefined when none is known. */
  statusReason: Reason | undefined;
  usedQuota: bigint;
  balance: string;
  balanceTime: Date | undefined;
  responseTime: number;
  testTime: Date | undefined;
  createdTime: Date | undefined;
  deletedAt: Date | undefined;
}

export interface RedemptionRecord {
  id: number;
  userId: number;
  key: string;
  name: string;
  status: number;
  quota: bigint;
  redeemedBy: number | null;
  createdTime: Date | undefined;
  redeemedTime: Date | undefined;
  expiresAt: Date | undefined;
}

export interface PaymentRecord {
  id: number;
  uuid: string;
  type: string;
  name: string;
  icon: string;
  notifyDomain: string;
  currency: string;
  fixedFee: string;
  percentFee: string;
  config: Record<string, unknown>;
  sort: number;
  enable: boolean;
  createdAt: Date | undefined;
  deletedAt: Date | undefined;
}

export interface OrderRecord {
  id: number;
  userId: number;
  gatewayId: number;
  tradeNo: string;
  gatewayNo: string;
  amount: number;
  orderAmount: string;
  orderCurrency: string;
  fee: string;
  discount: string;
  quota: bigint;
  status: string;
  createdAt: Date | undefined;
  updatedAt: Date | undefined;
}

export interface TaskRecord {
  taskId: string;
  platform: string;
  action: string;
  status: string;
  userId: number;
  tokenId: number;
  channelId: number;
  quota: bigint;
  progress: number;
  failReason: string;
  submitTime: Date | undefined;
  startTime: Date | undefined;
  finishTime: Date | undefined;
  createdAt: Date | undefined;
  properties: object;
  data: object;
  notifyHook: string;
}

export interface ModelOwnerRecord {
  id: number;
  name: string;
  icon: string;
}

export interface ModelInfoRecord {
  model: string;
  name: string;
  description: string;
  contextLength: number;
  maxTokens: number;
  inputModalities: string[];
  outputModalities: string[];
  tags: string[];
  supportUrl: string[];
}

export interface MenuRecord {
  command: string;
  description: string;
  parseMode: string;
  reply: string;
}

/** Charges of a day or an hour. */
export interface UsageRecord {
  hour: Date;
  userId: number;
  channelId: number;
  model: string;
  group: string;
  requests: bigint;
  quota: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  requestTime: bigint;
}

export interface LogRecord {
  id: string;
  createdAt: Date;
  requestId: string;
  /** Id in the headers of the answer, where it is not `requestId`. */
  answerId?: string | undefined;
  type: number;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  channelId: number;
  group: string;
  backupGroup: boolean;
  model: string;
  upstreamModel: string;
  isStream: boolean;
  content: string;
  promptTokens: number;
  completionTokens: number;
  quota: bigint;
  requestTime: number;
  firstByteTime: number;
  ip: string;
  /** What the charge was computed from, if the row says it. */
  price?: LogPrice | undefined;
}

/** Ratios of a charge, as numbers: they explain a difference, nothing is computed from them. */
export interface LogPrice {
  groupRatio: number;
  input: number;
  output: number;
}

/** A charge of the old gateway that is computed again. */
export interface ChargeSample {
  label: string;
  model: string;
  groupRatio: string;
  usage: Usage;
  charged: bigint;
  /** How many points the two ways of rounding may be apart. */
  tolerance: bigint;
  /** Differences up to this can be due to digits that the row does not show: they say nothing. */
  doubt?: bigint;
  /** Whether the price of then is the one that was imported. */
  same(price: ActivePrice): boolean;
}

export type PriceRecord = SavePrice;

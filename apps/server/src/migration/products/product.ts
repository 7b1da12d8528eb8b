import type { LitellmConfig } from "#migration/litellm/config.ts";
import type {
  ChannelRecord,
  ChargeSample,
  GroupRecord,
  LogRecord,
  MenuRecord,
  ModelInfoRecord,
  ModelOwnerRecord,
  OrderRecord,
  PasskeyRecord,
  PaymentRecord,
  PriceRecord,
  RedemptionRecord,
  SecondFactorRecord,
  TaskRecord,
  TokenRecord,
  UsageRecord,
  UserRecord,
} from "#migration/records.ts";
import type { ReportBook } from "#migration/report.ts";
import type { Source } from "#migration/sources/source.ts";

/** What only LiteLLM has. */
export interface LitellmInput {
  /** Its `config.yaml`. */
  config: LitellmConfig | undefined;
  /** `LITELLM_SALT_KEY`, or the master key. */
  saltKey: string | undefined;
  /** For references like `os.environ/NAME`. */
  environment: Readonly<Record<string, string | undefined>>;
}

/** A balance that the source says. */
export interface SourceBalance {
  id: number;
  balance: bigint;
  used: bigint;
  isDeleted: boolean;
}

/** What a product's readers need. */
export interface ReadContext {
  source: Source;
  book: ReportBook;
  /** The table `options` of the source. */
  options: ReadonlyMap<string, string>;
  now: Date;
  /** Prices that only the running product knew (`--prices`), parsed; undefined without the option. */
  priceFile: unknown;
  litellm?: LitellmInput;
  /** Balance of accounts that had no budget, in points; undefined without the option. */
  creditPoints?: bigint | undefined;
}

type Reader<T> = (context: ReadContext) => AsyncIterable<T>;

/** Another gateway. Its readers hand over records in this gateway's terms and note what they leave out. */
export interface Product {
  id: string;
  title: string;
  /** It has no database file and no MySQL database, and no management API with its log. */
  onlyPostgres?: boolean;
  /** Columns of its tables, with blanks between them, of the versions that were read. */
  known: Readonly<Record<string, string>>;
  /** Columns without which it is another product or an unknown version. */
  required: Readonly<Record<string, string>>;
  groups: Reader<GroupRecord>;
  users: Reader<UserRecord>;
  passkeys?: Reader<PasskeyRecord>;
  secondFactors?: Reader<SecondFactorRecord>;
  tokens: Reader<TokenRecord>;
  channels: Reader<ChannelRecord>;
  prices: Reader<PriceRecord>;
  redemptions: Reader<RedemptionRecord>;
  payments?: Reader<PaymentRecord>;
  orders?: Reader<OrderRecord>;
  tasks?: Reader<TaskRecord>;
  modelOwners?: Reader<ModelOwnerRecord>;
  modelInfo?: Reader<ModelInfoRecord>;
  menus?: Reader<MenuRecord>;
  usage?: Reader<UsageRecord>;
  /** @param since only calls from then on */
  logs?(context: ReadContext, since: Date): AsyncIterable<LogRecord>;
  /** Settings by this gateway's names, as text. */
  settings(context: ReadContext): Record<string, string>;
  charges?: Reader<ChargeSample>;
  /** Balances by the ids of here, in points. Without it they are in the tables `users` and `tokens`. */
  balances?: Reader<SourceBalance>;
  /** What each key has used, in points. */
  keyUse?: Reader<bigint>;
  /** The first trace of the source; undefined when there is none. */
  start?(context: ReadContext): Promise<Date | undefined>;
}

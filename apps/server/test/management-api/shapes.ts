/** Fields of One Hub's rows and their types. Further fields are allowed. */

export type Type =
  | "int"
  | "number"
  | "text"
  | "empty"
  | "day"
  | "bool"
  | "json"
  | "json or unset"
  | "texts or absent"
  | "object"
  | "object or null"
  | "any"
  | "list";
export type Shape = Readonly<Record<string, Type>>;

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

function isJson(value: unknown): boolean {
  if (typeof value !== "string") return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

const tests: Readonly<Record<Type, (value: unknown) => boolean>> = {
  int: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === "number",
  text: (value) => typeof value === "string",
  empty: (value) => value === "",
  day: (value) => typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value),
  bool: (value) => typeof value === "boolean",
  json: isJson,
  "json or unset": (value) => value === "" || value === null || isJson(value),
  "texts or absent": (value) =>
    value === undefined || (Array.isArray(value) && value.every((item) => typeof item === "string")),
  object: isObject,
  "object or null": (value) => value === null || isObject(value),
  any: (value) => value !== undefined,
  list: (value) => Array.isArray(value),
};

export function fits(value: unknown, type: Type): boolean {
  return tests[type](value);
}

/** Builds a shape from lists of fields by type, in the order that the rows are documented. */
function shape(fields: Partial<Record<Type, string>>): Shape {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([type, names]) => names.split(" ").map((name) => [name, type as Type])),
  );
}

export const user = shape({
  int: "id role status github_id_new telegram_id quota used_quota request_count aff_count aff_quota aff_history_quota inviter_id last_login_time created_time",
  text: "username display_name email avatar_url oidc_id github_id wechat_id lark_id access_token group aff_code last_login_ip",
  empty: "password verification_code",
});
export const channel = shape({
  int: "id type status weight created_time test_time response_time balance_updated_time used_quota priority pre_cost",
  number: "balance",
  text: "key name base_url other models group tag proxy test_model",
  bool: "only_chat compatible_response allow_extra_body",
  "json or unset": "model_mapping model_headers custom_parameter",
  "texts or absent": "disabled_stream",
  "object or null": "plugin",
});
export const token = shape({
  int: "id user_id status created_time accessed_time expired_time remain_quota used_quota",
  text: "key name group backup_group",
  bool: "unlimited_quota",
  object: "setting",
});
export const log = shape({
  int: "id user_id created_at type quota prompt_tokens completion_tokens channel_id request_time",
  text: "content username token_name model_name source_ip",
  bool: "is_stream",
  "object or null": "metadata channel",
});
export const payment = shape({
  int: "id sort created_at",
  number: "fixed_fee percent_fee",
  text: "type uuid name icon notify_domain currency",
  json: "config",
  bool: "enable",
});
export const paymentChoice = shape({
  int: "sort",
  number: "fixed_fee percent_fee",
  text: "uuid name icon currency",
});
export const order = shape({
  int: "id user_id gateway_id amount quota created_at",
  number: "order_amount fee discount",
  text: "trade_no gateway_no order_currency status",
});
export const redemption = shape({
  int: "id user_id status quota created_time redeemed_time count",
  text: "key name",
});
export const group = shape({
  int: "id api_rate min max",
  number: "ratio",
  text: "symbol name",
  bool: "public promotion enable",
});
export const price = shape({
  int: "channel_type",
  number: "input output",
  text: "model type",
  bool: "locked",
});
export const modelInfo = shape({
  int: "id context_length max_tokens created_at updated_at",
  text: "model name description",
  json: "input_modalities output_modalities tags support_url",
});
export const owner = shape({ int: "id", text: "name icon" });
export const task = shape({
  int: "id created_at updated_at user_id channel_id quota submit_time start_time finish_time progress token_id",
  text: "task_id platform action status fail_reason notify_hook",
  "object or null": "properties",
  any: "data",
});
export const midjourney = shape({
  int: "id code user_id submit_time start_time finish_time channel_id quota token_id",
  text: "action mj_id prompt prompt_en description state image_url status progress fail_reason buttons properties mode",
});
export const telegramMenu = shape({ int: "id", text: "command description parse_mode reply_message" });
const counters = "RequestCount Quota PromptTokens CompletionTokens RequestTime";
export const usageByModel = shape({ day: "Date", int: counters, text: "ModelName" });
export const usageByChannel = shape({ day: "Date", int: counters, text: "Channel" });
export const userTotals = shape({
  int: "request_count quota prompt_tokens completion_tokens request_time",
  text: "username",
});
export const site = shape({
  int: "start_time PaymentMinAmount",
  number: "quota_per_unit PaymentUSDRate",
  text: "version github_client_id lark_client_id system_name logo language footer_html analytics_code wechat_qrcode server_address turnstile_site_key top_up_link chat_link telegram_bot chat_links RechargeDiscount SafeToolName UptimeDomain UptimePageName",
  bool: "email_verification github_oauth oidc_auth lark_login wechat_login turnstile_check display_in_currency mj_notify_enabled EnableSafe UserInvoiceMonth UptimeEnabled",
  list: "SafeKeyWords",
});

/** Names of the fields that the audit log records, by type of object, as the forms of the objects call them. In English. */
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrasesIn } from "#lib/i18n.ts";
import { budgetFieldNames } from "#lib/labels/budget-fields.ts";
import { channelFieldNames } from "#lib/labels/channel-fields.ts";
import { areaTitles } from "#lib/labels/rights.ts";
import { nameOfKind, usageKinds } from "#lib/labels/usage-kinds.ts";

const phrase = phrasesIn("audit-log");

type Names = Readonly<Record<string, string>>;

const common = {
  id: phrase("ID"),
  name: phrase("Name"),
  group: phrase("Group"),
  status: phrase("Status"),
  created_time: phrase("Created"),
  description: phrase("Description"),
};

/** Returns the names of the fields inside another one. In a path, `*` stands for a place in a list. */
function namesInside(path: string, names: Names): Names {
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [`${path}.${field}`, name]));
}

const priceNames = {
  model: phrase("Model"),
  type: phrase("Billed"),
  channel_type: phrase("Owner"),
  input: phrase("Input ratio"),
  output: phrase("Output ratio"),
  locked: phrase("Keep this price when a price list is imported"),
  extra_ratios: phrase("Extended pricing"),
  ...Object.fromEntries(usageKinds.map((kind) => [`extra_ratios.${kind}`, nameOfKind(kind)])),
  tiers: phrase("Long context"),
  "tiers.*.above": phrase("Input tokens above"),
  "tiers.*.input": phrase("Input ratio"),
  "tiers.*.output": phrase("Output ratio"),
};

const mcpNames = { ...common, enabled: phrase("Enabled"), updated_time: phrase("Updated") };

/** Fields of an object that can have a budget. */
const budgeted = {
  ...budgetFieldNames,
  budget: phrase("Budget"),
  ...namesInside("budget", budgetFieldNames),
};

const fieldNames = lookupTable<Names>({
  backup: lookupTable({ place: phrase("Where backups are stored") }),
  call_share: lookupTable({
    ...common,
    request_id: phrase("Request ID"),
    with_bodies: phrase("With request and response"),
    expires_at: phrase("Expires"),
  }),
  channel: lookupTable({
    ...common,
    ...channelFieldNames,
    key_hints: phrase("API keys"),
    count: phrase("Channels"),
    included_credentials: phrase("With API keys"),
  }),
  device: lookupTable({ device_name: phrase("Device"), ip: phrase("Source IP") }),
  export: lookupTable({ tables: phrase("Tables") }),
  identity_provider: lookupTable({
    ...common,
    slug: phrase("Identifier"),
    preset: phrase("Type"),
    issuer: phrase("Issuer"),
    subject_claim: phrase("Permanent ID of a person"),
    client_id: phrase("Client ID"),
    client_secret: phrase("Client secret"),
    scopes: phrase("Scopes"),
    username_claim: phrase("Username claim"),
    groups_claim: phrase("Groups claim"),
    enabled: phrase("Offer on the sign-in page"),
    sign_up: phrase("Create accounts"),
    members_only: phrase("Only members may sign in"),
    may_administer: phrase("May manage administrators"),
    rules: phrase("Group rules"),
    "rules.*.external_group": phrase("Members of"),
    "rules.*.group": phrase("User group"),
    "rules.*.role": phrase("Role"),
    "rules.*.budget": phrase("Budget"),
    ...namesInside("rules.*.budget", budgetFieldNames),
    scim_token_hash: phrase("SCIM token"),
    scim_token_time: phrase("SCIM token created"),
    scim_last_used: phrase("SCIM last used"),
  }),
  import: lookupTable({
    origin: phrase("Source"),
    counts: phrase("Imported rows"),
    totals: phrase("Totals"),
  }),
  log: lookupTable({ removed: phrase("Deleted calls") }),
  mcp_bundle: lookupTable({
    ...mcpNames,
    servers: phrase("Servers"),
    groups: phrase("Groups"),
    allow: phrase("Allowed tools"),
    deny: phrase("Denied tools"),
  }),
  mcp_server: lookupTable({
    ...mcpNames,
    url: phrase("Address"),
    private_address: phrase("Allow a private address"),
    header: phrase("Header"),
    credential: phrase("Credential"),
    timeout_seconds: phrase("Timeout in seconds"),
    price: phrase("Price per call"),
    tool_prices: phrase("Prices of tools"),
    "tool_prices.*.tool": phrase("Tool"),
    "tool_prices.*.price": phrase("Price"),
  }),
  model: lookupTable({
    ...common,
    model: phrase("Model"),
    context_length: phrase("Context"),
    max_tokens: phrase("Maximum output"),
    input_modalities: phrase("Input"),
    output_modalities: phrase("Output"),
    tags: phrase("Tags"),
    support_url: phrase("Links"),
    created_at: phrase("Created"),
    updated_at: phrase("Updated"),
    mode: phrase("Models with a description"),
    added: phrase("Added"),
    changed: phrase("Changed"),
    kept: phrase("Kept"),
  }),
  model_owner: lookupTable({ ...common, icon: phrase("Icon") }),
  order: lookupTable({
    ...common,
    user_id: phrase("User ID"),
    gateway_id: phrase("Payment gateway"),
    gateway_no: phrase("Gateway transaction ID"),
    paid: phrase("Paid"),
    quota: phrase("Credited"),
    reason: phrase("Reason"),
  }),
  payment: lookupTable({
    ...common,
    uuid: phrase("Identifier"),
    type: phrase("Type"),
    icon: phrase("Icon"),
    currency: phrase("Currency"),
    percent_fee: phrase("Percentage fee"),
    fixed_fee: phrase("Fixed fee per order"),
    notify_domain: phrase("Another address of this site"),
    sort: phrase("Position"),
    enable: phrase("Enabled"),
    created_at: phrase("Created"),
    config: phrase("Credentials at the gateway"),
  }),
  price: lookupTable({
    ...priceNames,
    version_id: phrase("Version"),
    updated_time: phrase("Updated"),
    models: phrase("Models"),
    price: phrase("Price"),
    ...namesInside("price", priceNames),
    mode: phrase("What to import"),
    added: phrase("Added"),
    changed: phrase("Changed"),
    ...namesInside("changed.*.before", priceNames),
    ...namesInside("changed.*.after", priceNames),
    removed: phrase("Removed"),
  }),
  redemption: lookupTable({
    ...common,
    user_id: phrase("User ID"),
    key_hash: phrase("Redemption code"),
    key_encrypted: phrase("Redemption code"),
    quota: phrase("Value of each code"),
    count: phrase("Number of codes"),
    redeemed_by: phrase("Redeemed by"),
    redeemed_time: phrase("Redeemed"),
    expires_at: phrase("Expires at"),
  }),
  scim_group: lookupTable({
    display_name: phrase("Display name"),
    external_id: phrase("ID at the sign-in provider"),
    members: phrase("Members"),
  }),
  setting: lookupTable({ value: phrase("Value") }),
  statement: lookupTable({
    date: phrase("Month"),
    closed_at: phrase("Closed"),
    users: phrase("Users"),
    quota: phrase("Charged"),
  }),
  telegram_menu: lookupTable({
    ...common,
    command: phrase("Command"),
    parse_mode: phrase("Message type"),
    reply_message: phrase("Reply"),
  }),
  token: lookupTable({
    ...common,
    ...budgeted,
    user_id: phrase("User ID"),
    key_hint: phrase("Key"),
    accessed_time: phrase("Last used"),
    expired_time: phrase("Expires"),
    unlimited_quota: phrase("No limit"),
    remain_quota: phrase("Quota"),
    used_quota: phrase("Used"),
    day_quota: phrase("Used today"),
    month_quota: phrase("Used this month"),
    backup_group: phrase("Backup group"),
    billing_tag: phrase("Billing tag"),
    device_name: phrase("Device"),
    previous_key: phrase("Previous key"),
    "previous_key.hint": phrase("Previous key"),
    "previous_key.until": phrase("The previous key works until"),
    setting: phrase("Settings"),
    "setting.heartbeat.enabled": phrase("Keep idle streams open"),
    "setting.heartbeat.timeout_seconds": phrase("Send a heartbeat after"),
    "setting.limits.limit_model_setting.enabled": phrase("Only certain models"),
    "setting.limits.limit_model_setting.models": phrase("Models"),
    "setting.limits.limits_ip_setting.enabled": phrase("Only certain IP addresses"),
    "setting.limits.limits_ip_setting.whitelist": phrase("Addresses"),
    "setting.rates.requests_per_minute": phrase("Requests per minute"),
    "setting.rates.tokens_per_minute": phrase("Tokens per minute"),
    "setting.rates.concurrency": phrase("Concurrent requests"),
    "setting.rates.daily_spend": phrase("Daily spend (USD)"),
    "setting.rates.monthly_spend": phrase("Monthly spend (USD)"),
    "setting.rates.session_spend": phrase("Session spend (USD)"),
    "setting.cache.enabled": phrase("Cache responses"),
    "setting.cache.tool_streams": phrase("Also cache streams with tools"),
    "setting.log_bodies": phrase("Store requests and responses"),
    // Of a derived key.
    parent_id: phrase("Derived from"),
    label: phrase("Label"),
    quota: phrase("Quota"),
    spent: phrase("Used"),
    reserved: phrase("Reserved"),
    created_at: phrase("Created"),
    used_at: phrase("Last used"),
    expires_at: phrase("Expires"),
    revoked_at: phrase("Revoked"),
  }),
  user: lookupTable({
    ...common,
    ...budgeted,
    username: phrase("Username"),
    display_name: phrase("Display name"),
    role: phrase("Role"),
    email: phrase("Email"),
    password: phrase("Password"),
    quota: phrase("Balance"),
    change: phrase("Change"),
    remark: phrase("Remark"),
    reference: phrase("Reference"),
    permissions: phrase("Permissions"),
    ...namesInside("permissions", areaTitles),
    inviter_id: phrase("Invited by"),
    provider: phrase("Sign-in provider"),
    label: phrase("Name at the sign-in provider"),
    alias: phrase("Passkey"),
    ended: phrase("Ended sessions"),
    // Of the budget that the owner of the account sets.
    limit: phrase("Budget per month"),
    warning: phrase("Warn at"),
    stops: phrase("Refuse calls beyond the budget"),
    // Of a person who is managed through SCIM.
    user_name: phrase("Username"),
    external_id: phrase("ID at the sign-in provider"),
    active: phrase("Active"),
    attributes: phrase("SCIM attributes"),
  }),
  user_group: lookupTable({
    ...common,
    ...budgeted,
    symbol: phrase("Identifier"),
    public: phrase("Public"),
    enable: phrase("Enabled"),
    ratio: phrase("Ratio"),
    api_rate: phrase("Requests per minute"),
    promotion: phrase("Promote accounts to this group"),
    min: phrase("From"),
    max: phrase("Below"),
    cache_marks: phrase("Help the prompt cache"),
    quotes: phrase("Quotes"),
  }),
});

/**
 * Returns the name of a field, and what follows it in the path: "rules.0.role" is ["Group rules", "0", "Role"]. Undefined
 * for a field without a name.
 */
export function findFieldName(
  targetType: string,
  path: string,
): { name: string; place: string; inner?: string } | undefined {
  const names = fieldNames[targetType];
  const parts = path.split(".");
  for (let end = parts.length; end > 0; end -= 1) {
    const name = names?.[parts.slice(0, end).join(".")];
    if (name === undefined) continue;
    const [first = "", ...others] = parts.slice(end);
    const inner = names?.[[...parts.slice(0, end), "*", ...others].join(".")];
    if (/^\d+$/.test(first) && others.length > 0 && inner !== undefined) return { name, place: first, inner };
    return { name, place: [first, ...others].join(".") };
  }
  return undefined;
}

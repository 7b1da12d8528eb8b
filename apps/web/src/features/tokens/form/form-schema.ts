/** Validation of the form: the server's rules, and no token that could not call any model. */
import { type TokenForm, TokenInput, type TokenRow } from "@gateway/shared/accounts/token";
import { NEVER_EXPIRES } from "@gateway/shared/accounts/token-status";
import type { McpTokenLimits, UsableMcpBundle } from "@gateway/shared/channels/mcp";
import type { FieldReason } from "@gateway/shared/errors/fields";
import { because } from "@gateway/shared/errors/issue";
import { ModelPattern } from "@gateway/shared/models/model-name";
import type { z } from "zod";
import type { SchemaForm } from "#ui/form/form.ts";
import { isAddressOrRange } from "./addresses.ts";

export const modelsPath = "setting.limits.limit_model_setting.models";
export const addressesPath = "setting.limits.limits_ip_setting.whitelist";

export const mcpPath = "setting.mcp";

type Report = (path: string, reason: FieldReason) => void;

/** @param before the edited token: its expiry time may stay, even when it has passed */
export function tokenFormSchema(before?: TokenRow): typeof TokenInput {
  return TokenInput.superRefine((input, context) => {
    const report: Report = (path, reason) =>
      context.addIssue({ code: "custom", path: path.split("."), message: because(reason) });
    const { expired_time } = input;
    const chosenNow = expired_time !== NEVER_EXPIRES && expired_time !== before?.expired_time;
    if (chosenNow && expired_time * 1000 <= Date.now()) report("expired_time", "time_passed");
    if (input.backup_group !== "" && input.backup_group === input.group)
      report("backup_group", "backup_group_twice");
    checkModels(input, report);
    checkAddresses(input, report);
  });
}

function checkModels({ setting }: TokenInput, report: Report): void {
  const { enabled, models } = setting.limits.limit_model_setting;
  if (enabled && models.length === 0) report(modelsPath, "models_or_off");
}

function checkAddresses({ setting }: TokenInput, report: Report): void {
  const { enabled, whitelist } = setting.limits.limits_ip_setting;
  if (!enabled) return;
  if (whitelist.length === 0) report(addressesPath, "addresses_or_off");
  for (const [index, line] of whitelist.entries())
    if (!isAddressOrRange(line)) report(`${addressesPath}.${index}`, "not_address_range");
}

/** The form always contains every setting, so that its fields can be bound. */
export type TokenFormValues = TokenForm & Required<Pick<z.output<typeof TokenInput>, "setting">>;
export type TokenSchemaForm = SchemaForm<TokenFormValues>;

export function toTokenFormValues(token?: TokenRow): TokenFormValues {
  return {
    name: token?.name ?? "",
    group: token?.group ?? "",
    backup_group: token?.backup_group ?? "",
    expired_time: token?.expired_time ?? NEVER_EXPIRES,
    unlimited_quota: token?.unlimited_quota ?? true,
    remain_quota: token?.remain_quota ?? 0,
    billing_tag: token?.billing_tag ?? "",
    setting: {
      ...structuredClone(token?.setting ?? TokenInput.shape.setting.parse({})),
      mcp: structuredClone(token?.setting.mcp ?? noMcpLimits),
    },
  };
}

const noMcpLimits: McpTokenLimits = { bundles: [], allow: [], deny: [] };

export function hasMcpLimits({ mcp }: { mcp?: Partial<McpTokenLimits> | undefined }): boolean {
  return [mcp?.bundles, mcp?.allow, mcp?.deny].some((list) => list !== undefined && list.length > 0);
}

/** Returns a pattern for all tools of each server of the chosen bundles, or of all bundles if none is chosen. */
export function toolSuggestions(bundles: readonly UsableMcpBundle[], chosen: readonly string[]): string[] {
  const usable = bundles.filter(({ name }) => chosen.length === 0 || chosen.includes(name));
  return [...new Set(usable.flatMap(({ servers }) => servers))].sort().map((server) => `${server}__*`);
}

/** Drops invalid lines of a disabled restriction, which must not prevent saving. */
export function toInput(values: TokenForm): TokenForm {
  const input = TokenInput.parse(values);
  const addresses = input.setting.limits.limits_ip_setting;
  if (!addresses.enabled) addresses.whitelist = addresses.whitelist.filter(isAddressOrRange);
  const models = input.setting.limits.limit_model_setting;
  if (!models.enabled) models.models = models.models.filter((name) => ModelPattern.safeParse(name).success);
  return input;
}

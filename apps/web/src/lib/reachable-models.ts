/** The models that a token can call. Pure. */
import type { TokenInput } from "@gateway/shared/accounts/token";
import type { AvailableModels } from "@gateway/shared/models/model";

/** Returns the sorted names that at least one of the groups reaches. */
export function modelsOfGroups(models: AvailableModels, groups: string[]): string[] {
  return Object.entries(models)
    .filter(([, model]) => groups.some((group) => model.groups.includes(group)))
    .map(([name]) => name)
    .sort();
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** @param ownGroup group of the account, used by a token without a group */
export function modelsOfToken(
  models: AvailableModels,
  token: Pick<TokenInput, "group" | "backup_group" | "setting">,
  ownGroup: string,
): AvailableModels {
  const reachable = new Set(modelsOfGroups(models, [token.group || ownGroup, token.backup_group]));
  const limit = token.setting.limits.limit_model_setting;
  const isAllowed = (name: string) =>
    !limit.enabled || limit.models.some((pattern) => matches(pattern, name));
  return Object.fromEntries(
    Object.entries(models).filter(([name]) => reachable.has(name) && isAllowed(name)),
  );
}

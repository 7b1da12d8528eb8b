import { disabledModelsIn } from "@gateway/shared/models/disabled-models";
import { foldModel } from "@gateway/shared/models/model-case";
import type { Actor } from "#domain/audit-log/audit.ts";
import type { SettingsStore } from "./settings.ts";

/** Disabled models, parsed once per text of the setting. */
let parsed: { text: string; models: ReadonlySet<string> } = { text: "", models: new Set() };

/** Returns the models that an operator disabled everywhere, by the name that clients request. */
export function disabledModels(settings: Pick<SettingsStore, "current">): ReadonlySet<string> {
  const { DisabledModels: text } = settings.current();
  if (text !== parsed.text) parsed = { text, models: new Set(disabledModelsIn(text)) };
  return parsed.models;
}

let folded: { models: ReadonlySet<string>; names: ReadonlySet<string> } = {
  models: parsed.models,
  names: new Set(),
};

/** Returns whether a model is disabled, in any letter case: some providers ignore it. */
export function isDisabled(settings: Pick<SettingsStore, "current">, model: string): boolean {
  const models = disabledModels(settings);
  if (models.size === 0) return false;
  if (models !== folded.models) folded = { models, names: new Set([...models].map(foldModel)) };
  return folded.names.has(foldModel(model));
}

/** Disables a model on all channels, or enables it again. Throws `invalid_request` above the maximum number. */
export async function switchModel(
  settings: SettingsStore,
  actor: Actor,
  { model, disabled }: { model: string; disabled: boolean },
): Promise<void> {
  await settings.amend(actor, "DisabledModels", (text) => {
    const others = disabledModelsIn(text).filter((name) => name !== model);
    return (disabled ? [...others, model] : others).join("\n");
  });
}

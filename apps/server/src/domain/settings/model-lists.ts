/** Settings that list models. Each is parsed once per text. */
import { disabledModelsIn } from "@gateway/shared/models/disabled-models";
import { aliasesIn } from "@gateway/shared/models/model-alias";
import { foldModel } from "@gateway/shared/models/model-case";
import type { Settings } from "@gateway/shared/site/settings";
import type { Actor } from "#domain/audit-log/audit.ts";
import type { SettingsStore } from "./settings.ts";

type CurrentSettings = Pick<SettingsStore, "current">;

/** Returns a reader of one setting. */
function createReader<List>(textOf: (settings: Settings) => string, parse: (text: string) => List) {
  let known = { text: "", list: parse("") };
  return (settings: CurrentSettings): List => {
    const text = textOf(settings.current());
    if (text !== known.text) known = { text, list: parse(text) };
    return known.list;
  };
}

/** Returns the models by their aliases. */
export const modelAliases = createReader(({ ModelAliases }) => ModelAliases, aliasesIn);

/** Returns the model for a name or alias. */
export function resolveModel(settings: CurrentSettings, name: string): string {
  return modelAliases(settings).get(name) ?? name;
}

/** Returns the models for calls of a session whose budget is nearly spent, by the requested one. */
export const cheaperModels = createReader(({ SessionFallbackModels }) => SessionFallbackModels, aliasesIn);

/** Returns the models that an operator disabled everywhere, by the name that clients request. */
export const disabledModels = createReader(
  ({ DisabledModels }) => DisabledModels,
  (text): ReadonlySet<string> => new Set(disabledModelsIn(text)),
);

const foldedModels = createReader(
  ({ DisabledModels }) => DisabledModels,
  (text): ReadonlySet<string> => new Set(disabledModelsIn(text).map(foldModel)),
);

/** Returns whether a model is disabled, in any letter case: some providers ignore it. */
export function isDisabled(settings: CurrentSettings, model: string): boolean {
  const names = foldedModels(settings);
  return names.size > 0 && names.has(foldModel(model));
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

import type { TokenRow } from "@gateway/shared/accounts/token";
import type { ClientDialect } from "@gateway/shared/connect/clients";
import type { AvailableModels } from "@gateway/shared/models/model";
import { useQuery } from "@tanstack/react-query";
import { kindOfModel, sampleModel } from "#components/samples/sample-model.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { modelsOfToken } from "#lib/reachable-models.ts";
import { useSelf } from "#lib/session.ts";
import { backgroundModelFor } from "./background-model.ts";

/** Models that clients of a dialect are made for. */
const families: Partial<Record<ClientDialect, RegExp>> = {
  anthropic: /^claude/,
  gemini: /^gemini/,
  "openai-responses": /^gpt-\d/,
};

/**
 * Returns the models to choose from, and the ones that the settings of the client contain.
 * @param wanted the chosen model; "" leaves the choice to the page
 * @param token the chosen token, which limits the models
 */
export function useModelChoice(dialect: ClientDialect, wanted: string, token: TokenRow | undefined) {
  const self = useSelf();
  const query = useQuery(modelsQuery);
  const all = query.data ?? {};
  const models = chatModels(token === undefined ? all : modelsOfToken(all, token, self?.group ?? ""));
  const names = Object.keys(models).sort();
  const model = wanted in models ? wanted : sampleModel(models, families[dialect]);
  const contextWindow = models[model]?.info?.context_length ?? 0;
  return {
    query,
    names,
    /** "" without models. */
    model,
    /** Input tokens that the model accepts; undefined = unknown. */
    contextWindow: contextWindow > 0 ? String(contextWindow) : undefined,
    /** The model for calls in the background. */
    backgroundModel: backgroundModelFor(model, names) || undefined,
  };
}

function chatModels(models: AvailableModels): AvailableModels {
  return Object.fromEntries(
    Object.entries(models).filter(
      ([name, { info }]) => kindOfModel(name, info?.output_modalities ?? []) === "chat",
    ),
  );
}

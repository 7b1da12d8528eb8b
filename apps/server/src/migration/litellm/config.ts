import { parse, YAMLParseError } from "yaml";
import { ImportRefusal } from "#migration/refusal.ts";
import { record } from "#migration/row.ts";

/** LiteLLM's `config.yaml`: models that are not in the database, and how the router chooses. */
export interface LitellmConfig {
  models: Record<string, unknown>[];
  router: Record<string, unknown>;
  general: Record<string, unknown>;
  litellm: Record<string, unknown>;
}

const MOST_LEVELS = 200;

/**
 * Looks at the text before the parser does, whose time grows with the square of the depth: at open brackets, and at
 * the marks of lists and keys that nest within one line.
 */
function isTooDeep(text: string): boolean {
  if (/(?:[-?:][ \t]+){200}/.test(text)) return true;
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === "[" || bracket === "{" ? open + 1 : Math.max(0, open - 1);
    if (open > MOST_LEVELS) return true;
  }
  return false;
}

/** @throws ImportRefusal when the text is no configuration of LiteLLM */
export function parseLitellmConfig(text: string, name: string): LitellmConfig {
  let parsed: unknown;
  if (isTooDeep(text))
    throw new ImportRefusal(`${name} is not valid YAML: more than ${MOST_LEVELS} levels`, {
      isUsage: true,
      facts: { reason: "litellm_config_not_yaml", name, detail: `more than ${MOST_LEVELS} levels` },
    });
  try {
    parsed = parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    const detail = cause instanceof YAMLParseError ? cause.code : "";
    const line = cause instanceof YAMLParseError ? cause.linePos?.[0].line : undefined;
    // The parser's message quotes the text, which may be a secret.
    const where = line === undefined ? "" : `line ${line}: `;
    throw new ImportRefusal(`${name} is not valid YAML: ${where}${detail}`, {
      isUsage: true,
      facts: { reason: "litellm_config_not_yaml", name, detail: `${where}${detail}` },
    });
  }
  const file = record(parsed);
  const models = file["model_list"] ?? [];
  if (!Array.isArray(models) || Object.keys(file).length === 0)
    throw new ImportRefusal(
      `${name} is not a LiteLLM configuration: it has no model_list. Give the file that LiteLLM starts with (--config).`,
      { isUsage: true, facts: { reason: "litellm_config_unknown", name } },
    );
  return {
    models: models.map(record),
    router: record(file["router_settings"]),
    general: record(file["general_settings"]),
    litellm: record(file["litellm_settings"]),
  };
}

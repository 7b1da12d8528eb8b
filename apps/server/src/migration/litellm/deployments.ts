import type { ReadContext } from "#migration/products/product.ts";
import { ImportRefusal } from "#migration/refusal.ts";
import { flag, json, record, text } from "#migration/row.ts";
import { looksEncrypted, type SaltKey, saltKey } from "./decrypt.ts";
import { type ModelPlace, placeOf } from "./providers.ts";

/** A model that LiteLLM serves from one account at a provider: rows of the database and entries of `config.yaml`. */
export interface Deployment {
  /** What clients call it. */
  name: string;
  place: ModelPlace;
  /** In the clear; references to the environment are resolved where the variable is set. */
  params: Record<string, unknown>;
  info: Record<string, unknown>;
  isBlocked: boolean;
  /** Variables that are not set here. */
  missing: string[];
}

export interface Deployments {
  deployments: Deployment[];
  router: Record<string, unknown>;
}

const models = "LiteLLM_ProxyModelTable";
const credentials = "LiteLLM_CredentialsTable";
const config = "LiteLLM_Config";
const read = new WeakMap<ReadContext["source"], Promise<Deployments>>();

export function deploymentsOf(context: ReadContext): Promise<Deployments> {
  const known = read.get(context.source);
  if (known !== undefined) return known;
  const reading = readDeployments(context);
  read.set(context.source, reading);
  return reading;
}

async function readDeployments(context: ReadContext): Promise<Deployments> {
  const { source, litellm } = context;
  const key = litellm?.saltKey === undefined ? undefined : saltKey(litellm.saltKey);
  const shared = await readCredentials(source, key);
  const deployments: Deployment[] = [];
  const add = (
    name: string,
    given: Record<string, unknown>,
    info: Record<string, unknown>,
    isBlocked: boolean,
  ) => {
    if (name === "") return;
    const missing: string[] = [];
    const own = { ...shared.get(textOf(given["litellm_credential_name"])), ...given };
    const params = resolveParams(own, litellm?.environment ?? {}, missing);
    const place = placeOf(
      textOf(params["model"]),
      textOf(params["custom_llm_provider"]),
      textOf(params["api_base"]) || textOf(params["base_url"]),
    );
    deployments.push({ name, place, params, info, isBlocked, missing });
  };
  for (const entry of litellm?.config?.models ?? [])
    add(
      textOf(entry["model_name"]).trim(),
      record(entry["litellm_params"]),
      record(entry["model_info"]),
      false,
    );
  if (source.columns.has(models))
    for await (const row of source.rows({ table: models, orderBy: "model_id" }))
      add(
        text(row, "model_name").trim(),
        decryptValues(record(json(row, "litellm_params")), key, `model ${text(row, "model_name")}`),
        record(json(row, "model_info")),
        flag(row, "blocked"),
      );
  return { deployments, router: { ...litellm?.config?.router, ...(await routerOf(source)) } };
}

async function routerOf(source: ReadContext["source"]): Promise<Record<string, unknown>> {
  if (!source.columns.has(config)) return {};
  for await (const row of source.rows({ table: config }))
    if (text(row, "param_name") === "router_settings") return record(json(row, "param_value"));
  return {};
}

async function readCredentials(source: ReadContext["source"], key: SaltKey | undefined) {
  const found = new Map<string, Record<string, unknown>>();
  if (source.columns.has(credentials))
    for await (const row of source.rows({ table: credentials })) {
      const name = text(row, "credential_name");
      found.set(name, decryptValues(record(json(row, "credential_values")), key, `credential ${name}`));
    }
  return found;
}

/** Each text is a cipher text of its own. */
function decryptValues(
  values: Record<string, unknown>,
  key: SaltKey | undefined,
  owner: string,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      if (typeof value !== "string" || value === "") return [name, value];
      const plain = key?.open(value);
      if (plain !== undefined) return [name, plain];
      if (looksEncrypted(value))
        throw new ImportRefusal(
          key === undefined
            ? `LiteLLM has encrypted ${name} of ${owner}. Give its LITELLM_SALT_KEY, or its master key where that is not set, in the environment or with --salt-key-file.`
            : `The salt key does not open ${name} of ${owner}. Give the LITELLM_SALT_KEY with which it was written, or the master key where that was not set.`,
          {
            isUsage: true,
            facts: { reason: key === undefined ? "litellm_salt_missing" : "litellm_salt_wrong", name, owner },
          },
        );
      return [name, value];
    }),
  );
}

const reference = /^os\.environ\/([A-Za-z_]\w*)$/;

function resolveParams(
  params: Record<string, unknown>,
  environment: Readonly<Record<string, string | undefined>>,
  missing: string[],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => {
      const variable = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
      if (variable === undefined) return [name, value];
      const found = environment[variable];
      if (found === undefined || found === "") missing.push(variable);
      return [name, found ?? ""];
    }),
  );
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

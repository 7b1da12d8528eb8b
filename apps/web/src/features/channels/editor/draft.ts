/** The form values of a channel. Mappings and headers are rows, so that incomplete ones can be kept. */
import {
  type ChannelForm,
  ChannelInput,
  type ChannelRow,
  CustomParameter,
  HeaderMap,
  ModelMapping,
} from "@gateway/shared/channels/channel";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { because } from "@gateway/shared/errors/issue";
import { ModelPattern } from "@gateway/shared/models/model-name";
import type { FormErrors } from "@mantine/form";
import type { TFunction } from "i18next";
import { z } from "zod";
import { ApiError } from "#lib/http.ts";
import type { SchemaForm } from "#ui/form/form.ts";

export type Pair = { key: string; value: string };

const badJson = because("json_text");
const isBlank = (pair: Pair) => pair.key.trim() === "" && pair.value.trim() === "";

/** Rows with unique keys; null stands for invalid JSON. Blank rows are ignored. */
function pairs(
  check: (pair: Pair, fault: (part: keyof Pair, sentence: string) => void) => void,
  twice: string,
  /** Returns what a key is compared by. */
  fold = (key: string) => key,
) {
  return z
    .array(z.object({ key: z.string(), value: z.string() }))
    .nullable()
    .superRefine((rows, context) => {
      if (rows === null) {
        context.addIssue({ code: "custom", message: badJson });
        return;
      }
      const seen = new Set<string>();
      for (const [index, row] of rows.entries()) {
        if (isBlank(row)) continue;
        const fault = (part: keyof Pair, message: string) =>
          context.addIssue({ code: "custom", message, path: [index, part] });
        const folded = fold(row.key.trim());
        if (seen.has(folded)) fault("key", twice);
        else check(row, fault);
        seen.add(folded);
      }
    });
}

export const ChannelDraft = ChannelInput.extend({
  model_mapping: pairs(({ key, value }, fault) => {
    const [issue] = ModelPattern.safeParse(key).error?.issues ?? [];
    if (issue !== undefined) fault("key", issue.message);
    const target = ModelMapping.safeParse({ model: value });
    if (!target.success) fault("value", because("mapping_target"));
  }, because("mapped_twice")),
  model_headers: pairs(
    ({ key, value }, fault) => {
      if (key.trim() === "") return fault("key", because("header_name_missing"));
      const [issue] = HeaderMap.safeParse({ [key.trim()]: "" }).error?.issues ?? [];
      if (issue !== undefined) fault("key", issue.message);
      const [wrong] = HeaderMap.safeParse({ [key.trim()]: value }).error?.issues ?? [];
      if (issue === undefined && wrong !== undefined) fault("value", wrong.message);
    },
    because("header_twice"),
    (name) => name.toLowerCase(),
  ),
  custom_parameter: CustomParameter.nullable().refine((value) => value !== null, badJson),
});
export type ChannelDraft = z.input<typeof ChannelDraft>;
export type DraftForm = SchemaForm<ChannelDraft>;

/** Returns the provider's single public address; "" when it has none or contains a region placeholder. */
export function ownAddress(provider: ProviderInfo | undefined): string {
  const address = provider?.base_url ?? "";
  return address.includes("{") ? "" : address;
}

export function newDraft(provider: ProviderInfo | undefined, groups: string[]): ChannelDraft {
  return {
    type: provider?.type ?? 1,
    name: provider?.label ?? "",
    base_url: ownAddress(provider),
    other: "",
    key: "",
    models: provider?.models ?? [],
    groups,
    tag: "",
    priority: 0,
    weight: 1,
    model_mapping: [],
    model_headers: [],
    custom_parameter: {},
    disabled_stream: [],
    proxy: "",
    test_model: "",
    only_chat: false,
    pre_cost: 1,
    compatible_response: false,
    allow_extra_body: false,
    log_bodies: false,
    system_prompt: "",
    system_prompt_place: "before",
    auto_disable: true,
    session_affinity: true,
    cache_marks: true,
    responses_websocket: true,
    connect_timeout_ms: 0,
    first_byte_timeout_ms: 0,
    idle_timeout_ms: 0,
    max_concurrency: 0,
    plugin: {},
  };
}

const toPairs = (map: Record<string, string>): Pair[] =>
  Object.entries(map).map(([key, value]) => ({ key, value }));

/** Returns the form values of a stored channel, without its keys: they never leave the server. */
export function toChannelDraft(row: ChannelRow, provider: ProviderInfo | undefined): ChannelDraft {
  return {
    type: row.type,
    name: row.name,
    base_url: row.base_url || ownAddress(provider),
    other: row.other,
    key: "",
    models: row.models,
    groups: row.groups,
    tag: row.tag,
    priority: row.priority,
    weight: row.weight,
    model_mapping: toPairs(row.model_mapping),
    model_headers: toPairs(row.model_headers),
    custom_parameter: row.custom_parameter,
    disabled_stream: row.disabled_stream,
    proxy: row.proxy,
    test_model: row.test_model,
    only_chat: row.only_chat,
    pre_cost: row.pre_cost,
    compatible_response: row.compatible_response,
    allow_extra_body: row.allow_extra_body,
    log_bodies: row.log_bodies,
    system_prompt: row.system_prompt,
    system_prompt_place: row.system_prompt_place,
    auto_disable: row.auto_disable,
    session_affinity: row.session_affinity,
    cache_marks: row.cache_marks,
    responses_websocket: row.responses_websocket,
    connect_timeout_ms: row.connect_timeout_ms,
    first_byte_timeout_ms: row.first_byte_timeout_ms,
    idle_timeout_ms: row.idle_timeout_ms,
    max_concurrency: row.max_concurrency,
    plugin: row.plugin,
  };
}

const toMap = (rows: Pair[] | null): Record<string, string> =>
  Object.fromEntries(
    (rows ?? []).filter((row) => !isBlank(row)).map((row) => [row.key.trim(), row.value.trim()]),
  );

export function inputOf(draft: ChannelDraft): ChannelForm {
  return {
    ...draft,
    base_url: draft.base_url?.trim(),
    proxy: draft.proxy?.trim(),
    model_mapping: toMap(draft.model_mapping),
    model_headers: toMap(draft.model_headers),
    custom_parameter: draft.custom_parameter ?? {},
  };
}

/** Maps error paths: the server names a pair by its key, the form by its row. */
export function inFormPaths(error: unknown, draft: ChannelDraft): unknown {
  if (!(error instanceof ApiError)) return error;
  const issues = Object.fromEntries(
    Object.entries(error.issues).map(([path, issue]) => {
      for (const field of ["model_mapping", "model_headers"] as const) {
        const key = path.startsWith(`${field}.`) ? path.slice(field.length + 1) : null;
        const index = key === null ? -1 : (draft[field] ?? []).findIndex((row) => row.key.trim() === key);
        if (index >= 0) return [`${field}.${index}.value`, issue];
      }
      return [path, issue];
    }),
  );
  const { message, code, params, requestId } = error;
  return new ApiError(error.status, { message, code, params, issues, request_id: requestId });
}

/**
 * Returns errors beyond the schema: the provider's requirements.
 * @param hasKeys whether keys are already stored
 */
export function providerFaults(
  t: TFunction<"channels">,
  draft: ChannelDraft,
  provider: ProviderInfo | undefined,
  hasKeys: boolean,
): Record<string, string> {
  const faults: Record<string, string> = {};
  if (!provider) return { type: t("Channel type error") };
  const mustSayWhere = provider.needs_base_url || ownAddress(provider) !== "";
  if (mustSayWhere && !draft.base_url?.trim()) faults["base_url"] = t("API address is required");
  if (provider.needs_key && !hasKeys && !draft.key?.trim()) faults["key"] = t("API key is required");
  return faults;
}

/**
 * Returns the first error inside a field with its name as a prefix, or the error of the field. Leaving a field repeats
 * the error inside it as one of the field, without its place.
 */
export function errorWithin(errors: FormErrors, field: string): React.ReactNode {
  const inside = Object.keys(errors).find((path) => path.startsWith(`${field}.`));
  if (inside === undefined) return errors[field];
  const sentence = errors[inside];
  return typeof sentence === "string" ? `${inside.slice(field.length + 1)}: ${sentence}` : sentence;
}

/** Returns whether one of these fields, or a value inside it, has an error. */
export function hasErrorIn(errors: FormErrors, fields: readonly string[]): boolean {
  return Object.keys(errors).some((path) => fields.includes(path.split(".")[0] ?? ""));
}

/** Returns the requested models of a mapping that the channel does not offer. No call would reach them. */
export function unofferedMappings(draft: ChannelDraft): string[] {
  const offers = (model: string) =>
    draft.models.some((pattern) =>
      pattern.endsWith("*") ? model.startsWith(pattern.slice(0, -1)) : model === pattern,
    );
  const keys = (draft.model_mapping ?? []).filter((row) => !isBlank(row)).map((row) => row.key.trim());
  return [...new Set(keys)].filter((key) => key !== "" && !offers(key));
}

import { codexKnows } from "@gateway/shared/connect/codex-models";
import type { ModelDescription } from "#domain/catalog/model-description.ts";
import { effortsOf } from "#providers/models/model-efforts.ts";

/**
 * The model list that Codex requests (`/v1/models?client_version=…`), in the shape of `ModelInfo` in its
 * `codex-rs/protocol/src/openai_models.rs`, read 2026-11-25. It replaces Codex's own list, so it contains
 * every model. Pure.
 */
interface CatalogueModel extends Pick<ModelDescription, "displayName" | "contextLength"> {
  id: string;
}

const efforts = {
  none: "No reasoning",
  minimal: "As little reasoning as possible",
  low: "Fast, with light reasoning",
  medium: "Balances speed and depth",
  high: "More reasoning for complex problems",
  xhigh: "The most reasoning, for the hardest problems",
} as const;

const instructions = `You are Codex, a coding agent that runs in the user's terminal and works in their repository.

- Read the relevant files before you change anything, and follow the conventions you find there and in AGENTS.md files.
- Use the tools you are given to search, run commands and edit files. Prefer \`rg\` to search. Make the smallest change that solves the task.
- Do not undo changes that you did not make. Do not commit, push or delete anything unless the user asks for it.
- For tasks of several steps, keep a short plan up to date and continue until the task is done. Check your work by running the tests or commands that apply.
- If you are blocked or the request is ambiguous in a way that matters, ask one precise question.
- End with a short summary of what you changed, with file paths, and of anything that you could not verify. Write plainly.`;

export function codexCatalogue(models: readonly CatalogueModel[]): object {
  return { models: models.map(entryOf) };
}

function entryOf({ id, displayName, contextLength }: CatalogueModel, index: number): object {
  const known = (effortsOf(id) ?? []).filter((effort) => effort in efforts) as (keyof typeof efforts)[];
  const usual = known.includes("medium") ? "medium" : known.at(-1);
  return {
    slug: id,
    display_name: displayName,
    description: displayName,
    ...(usual === undefined ? {} : { default_reasoning_level: usual }),
    supported_reasoning_levels: known.map((effort) => ({ effort, description: efforts[effort] })),
    shell_type: "shell_command",
    visibility: "list",
    supported_in_api: true,
    priority: index + 100,
    availability_nux: null,
    upgrade: null,
    base_instructions: instructions,
    supports_reasoning_summaries: known.length > 0,
    support_verbosity: codexKnows(id),
    default_verbosity: null,
    apply_patch_tool_type: codexKnows(id) ? "freeform" : null,
    truncation_policy: { mode: "tokens", limit: 10_000 },
    supports_parallel_tool_calls: true,
    supports_image_detail_original: false,
    ...(contextLength > 0 ? { context_window: contextLength, max_context_window: contextLength } : {}),
    effective_context_window_percent: 95,
    experimental_supported_tools: [],
    input_modalities: ["text", "image"],
  };
}

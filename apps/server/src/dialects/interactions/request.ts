import type { Address, Wire } from "#dialects/dialect.ts";
import type { ChatRequest } from "#dialects/ir.ts";
import { tierOf } from "#dialects/usage/service-tier.ts";
import { compact, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { decodeInput } from "./decode-steps.ts";
import { type InteractionRequest, interactionRequest } from "./schema.ts";
import { decodeFormats, decodeReasoning, googleSettings } from "./settings.ts";
import { decodeTools, decodeToolChoice } from "./tools.ts";

/** Fields for which the gateway would need an agent, a sandbox, or a place for a result that comes later. */
const notServed = ["background", "environment", "webhook_config", "continuation_token"] as const;

/** Throws `invalid_request` for agents, and for fields without which the result would be another one. */
function requireModel(body: InteractionRequest): string {
  for (const field of ["agent", "agent_config"])
    if (body[field] !== undefined && body[field] !== null)
      throw invalidRequest({ reason: "interaction_agent" }, { param: field });
  for (const field of notServed)
    if (body[field] !== undefined && body[field] !== null && body[field] !== false)
      throw invalidRequest({ reason: "interaction_unsupported", field });
  const model = body.model?.replace(/^models\//, "");
  if (!model) throw invalidRequest({ reason: "field_required", field: "model" });
  return model;
}

export function decodeRequest(value: unknown, address: Address): ChatRequest {
  const body = parseAt(interactionRequest, value, "");
  const model = requireModel(body);
  const config = body.generation_config;
  const { settings, ...tools } = decodeTools(body);
  const formats = decodeFormats(body);
  const messages = decodeInput(body.input);
  if (body.system_instruction)
    messages.unshift({ role: "system", parts: [{ type: "text", text: body.system_instruction }] });
  return compact<ChatRequest>({
    model,
    stream: body.stream ?? address.stream ?? false,
    messages,
    ...tools,
    toolChoice: decodeToolChoice(config),
    maxOutputTokens: config?.max_output_tokens ?? undefined,
    temperature: config?.temperature ?? undefined,
    topP: config?.top_p ?? undefined,
    stop: config?.stop_sequences && config.stop_sequences.length > 0 ? config.stop_sequences : undefined,
    seed: config?.seed ?? undefined,
    responseFormat: formats.format,
    reasoning: decodeReasoning(config),
    serviceTier: tierOf(body.service_tier),
    includeUsage: true,
    repeat: { dialect: "interactions", fields: repeatedFields(body) },
    extra: googleSettings(body, formats, settings),
  });
}

/** Returns the fields that the response repeats. */
function repeatedFields({ previous_interaction_id: previous, labels }: InteractionRequest): Wire {
  return compact<Wire>({ previous_interaction_id: previous ?? undefined, labels: labels ?? undefined });
}

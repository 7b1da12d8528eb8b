import { lookupTable } from "@gateway/shared/lookup-table";
import { phrase } from "#lib/i18n.ts";

/** Names of the fields of a channel, in English. */
export const channelFieldNames = lookupTable<string>({
  type: phrase("Provider"),
  name: phrase("Name"),
  base_url: phrase("API address"),
  key: phrase("API keys"),
  models: phrase("Models"),
  groups: phrase("Groups"),
  tag: phrase("Tag"),
  priority: phrase("Priority"),
  weight: phrase("Weight"),
  model_mapping: phrase("Model mapping"),
  model_headers: phrase("Request headers"),
  custom_parameter: phrase("Extra parameters"),
  disabled_stream: phrase("Models without streaming"),
  proxy: phrase("Proxy"),
  test_model: phrase("Test model"),
  only_chat: phrase("Without tools"),
  pre_cost: phrase("Reservation before a call"),
  compatible_response: phrase("Convert the Responses API"),
  allow_extra_body: phrase("Pass unknown fields"),
  log_bodies: phrase("Store requests and responses"),
  other: phrase("Provider-specific setting"),
  system_prompt: phrase("System prompt"),
  system_prompt_place: phrase("Position of the system prompt"),
  auto_disable: phrase("Disable automatically"),
  session_affinity: phrase("Keep sessions on this channel"),
  cache_marks: phrase("Help the prompt cache"),
  responses_websocket: phrase("Connect over WebSocket"),
  connect_timeout_ms: phrase("Connection timeout"),
  first_byte_timeout_ms: phrase("First byte timeout"),
  idle_timeout_ms: phrase("Idle timeout"),
  max_concurrency: phrase("Concurrent calls"),
  plugin: phrase("Provider features"),
});

/** Returns a field's name in English; translate when displayed. */
export function fieldNameOf(path: string): string {
  return channelFieldNames[path.split(".")[0] ?? ""] ?? path;
}

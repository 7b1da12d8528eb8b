import { lookupTable } from "@gateway/shared/lookup-table";

/** Fields of an interaction, by the fields of Gemini to which they are decoded. */
const names = lookupTable<string>({
  safetySettings: "safety_settings",
  cachedContent: "cached_content",
  cached_content: "cached_content",
  "generationConfig.responseModalities": "response_modalities",
  "generationConfig.imageConfig": "response_format",
  "generationConfig.speechConfig": "generation_config.speech_config",
  "toolConfig.retrievalConfig": "tools.google_maps",
  "toolConfig.functionCallingConfig": "generation_config.tool_choice",
  executableCode: "input.code_execution_call",
  codeExecutionResult: "input.code_execution_result",
});

/** Returns the name that the caller knows for a field that was dropped. */
export function fieldName(name: string): string {
  return names[name] ?? name;
}

/**
 * Decodes the settings of an interaction. Those that only Google has get the form of its other API, in which its channels
 * are called.
 */
import type { Wire } from "#dialects/dialect.ts";
import type { Extra, Reasoning, ResponseFormat } from "#dialects/ir.ts";
import { effortOf } from "#dialects/reasoning/effort.ts";
import { compact, parseAt } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { formats, type InteractionGenerationConfig, type InteractionRequest, type Speech } from "./schema.ts";

export function decodeReasoning(
  config: InteractionGenerationConfig | null | undefined,
): Reasoning | undefined {
  const effort = effortOf(config?.thinking_level);
  const summary = config?.thinking_summaries === "auto" ? ("auto" as const) : undefined;
  return effort === undefined && summary === undefined ? undefined : compact<Reasoning>({ effort, summary });
}

interface Formats {
  format: ResponseFormat | undefined;
  modalities: string[];
  imageConfig: Wire | undefined;
}

const imageConfigOf = (
  wire: { aspect_ratio?: string | null; image_size?: string | null } | null | undefined,
) => {
  const config = compact<Wire>({
    aspectRatio: wire?.aspect_ratio ?? undefined,
    imageSize: wire?.image_size ?? undefined,
  });
  return Object.keys(config).length === 0 ? undefined : config;
};

function decodeText(
  mime: string | null | undefined,
  schema: Wire | null | undefined,
): ResponseFormat | undefined {
  if (schema) return { type: "json-schema", schema };
  if (mime === "application/json") return { type: "json" };
  return mime === "text/plain" ? { type: "text" } : undefined;
}

export function decodeFormats(body: InteractionRequest): Formats {
  const given = body.response_format;
  const list = Array.isArray(given) ? given : given ? [given] : [];
  const modalities = (body.response_modalities ?? []).map((each) => each.toUpperCase());
  const result: Formats = {
    format: list.length === 0 ? decodeText(body.response_mime_type, undefined) : undefined,
    modalities,
    imageConfig: imageConfigOf(body.generation_config?.image_config),
  };
  const add = (name: string) => {
    if (!modalities.includes(name)) modalities.push(name);
  };
  for (const [index, wire] of list.entries()) {
    const at = Array.isArray(given) ? `response_format.${index}` : "response_format";
    switch (wire["type"]) {
      case "text": {
        const { mime_type: mime, schema } = parseAt(formats.text, wire, at);
        result.format = decodeText(mime, schema);
        if (list.length > 1) add("TEXT");
        break;
      }
      case "image":
        result.imageConfig = imageConfigOf(parseAt(formats.image, wire, at)) ?? result.imageConfig;
        add("IMAGE");
        break;
      case "audio":
        parseAt(formats.audio, wire, at);
        add("AUDIO");
        break;
      case "video":
        throw invalidRequest({ reason: "interaction_unsupported", field: `${at}.type` });
      default:
        // Earlier versions of the API expect the schema itself.
        result.format = { type: "json-schema", schema: wire };
    }
  }
  return result;
}

const voiceOf = ({ voice }: Speech) => (voice ? { prebuiltVoiceConfig: { voiceName: voice } } : undefined);

function speechOf(config: InteractionGenerationConfig | null | undefined): Wire | undefined {
  const given = config?.speech_config;
  const list = Array.isArray(given) ? given : (given?.speakers ?? []);
  const [first] = list;
  if (first === undefined) return undefined;
  const languageCode = first.language ?? undefined;
  if (list.length === 1) return compact<Wire>({ voiceConfig: voiceOf(first), languageCode });
  const speakerVoiceConfigs = list.map((each) =>
    compact<Wire>({ speaker: each.speaker ?? undefined, voiceConfig: voiceOf(each) }),
  );
  return compact<Wire>({ multiSpeakerVoiceConfig: { speakerVoiceConfigs }, languageCode });
}

/** Returns the settings that the IR does not have, in the form of Google's other API. */
export function googleSettings(
  body: InteractionRequest,
  { modalities, imageConfig }: Formats,
  toolSettings: Wire,
): Extra | undefined {
  const { generation_config: config } = body;
  const generationConfig = compact<Wire>({
    responseModalities: modalities.length > 0 ? modalities : undefined,
    imageConfig,
    speechConfig: speechOf(config),
  });
  const toolConfig = toolConfigOf(config, toolSettings);
  const fields = compact<Wire>({
    safetySettings: safetyOf(body),
    cachedContent: body.cached_content ?? undefined,
    generationConfig: Object.keys(generationConfig).length > 0 ? generationConfig : undefined,
    toolConfig,
  });
  return Object.keys(fields).length === 0 ? undefined : { dialect: "gemini", fields };
}

/** Returns the whole configuration where the IR has only a part of it: it replaces that part. */
function toolConfigOf(
  config: InteractionGenerationConfig | null | undefined,
  settings: Wire,
): Wire | undefined {
  const choice = config?.tool_choice;
  const allowed = typeof choice === "object" ? choice?.allowed_tools : undefined;
  const mode = (typeof choice === "string" ? choice : allowed?.mode)?.toUpperCase();
  if (mode !== "VALIDATED" && Object.keys(settings).length === 0) return undefined;
  const allowedFunctionNames =
    mode === "ANY" || mode === "VALIDATED" ? (allowed?.tools ?? undefined) : undefined;
  const functionCallingConfig = compact<Wire>({ mode, allowedFunctionNames });
  return mode === undefined ? settings : { functionCallingConfig, ...settings };
}

function safetyOf({ safety_settings: list }: InteractionRequest): Wire[] | undefined {
  if (!list || list.length === 0) return undefined;
  return list.map(({ type, threshold, method }) =>
    compact<Wire>({
      category: `HARM_CATEGORY_${type.toUpperCase()}`,
      threshold: threshold?.toUpperCase(),
      method: method?.toUpperCase(),
    }),
  );
}

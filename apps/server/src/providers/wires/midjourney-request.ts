/**
 * Decodes requests of midjourney-proxy clients: the kind of work,
 * the billed model name, and the upstream request.
 */
import { lookupTable } from "@gateway/shared/lookup-table";
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { parseAt } from "#dialects/wire.ts";
import { invalidRequest, notFound } from "#errors.ts";
import type { TaskRequest } from "./task.ts";

export type MidjourneyMode = "fast" | "turbo" | "relax";

const MidjourneyRequest = z.object({
  prompt: z.string().max(20_000).nullish(),
  state: z.string().max(2_000).nullish(),
  notifyHook: z.string().max(2_000).nullish(),
  taskId: z.union([z.string().max(64), z.number()]).nullish(),
  customId: z.string().max(500).nullish(),
  action: z.string().max(40).nullish(),
  content: z.string().max(500).nullish(),
});

const first = lookupTable<string>({
  imagine: "IMAGINE",
  describe: "DESCRIBE",
  blend: "BLEND",
  shorten: "SHORTEN",
  "upload-discord-images": "UPLOAD",
});
const following = new Set(["action", "change", "simple-change", "modal"]);
const changes = new Set(["UPSCALE", "VARIATION", "REROLL"]);

/** Endpoint names, below the mode: `imagine`, `change`, etc. The face swap has a separate endpoint. */
export const midjourneySubmits = [...Object.keys(first), ...following];
export const SWAP = "insight-face/swap";

/**
 * Returns the id of the task that this request continues; undefined for a new one. Throws `invalid_request`.
 */
export function midjourneyOrigin(name: string, body: Wire): string | undefined {
  if (!following.has(name)) return undefined;
  const { taskId, content } = parseAt(MidjourneyRequest, body, "");
  const id = name === "simple-change" ? contentOf(content)?.id : taskId;
  if (id !== undefined && id !== null && id !== "") return String(id);
  const field = name === "simple-change" ? "content" : "taskId";
  throw invalidRequest({ reason: "midjourney_task", field });
}

/**
 * Decodes a request.
 * @param name as in `midjourneySubmits`, or `SWAP`
 * @param mode from the URL, or of the task that it continues
 */
export function readMidjourney(name: string, body: Wire, mode: MidjourneyMode): TaskRequest {
  const requested = parseAt(MidjourneyRequest, body, "");
  const action = actionOf(name, requested);
  const speed = mode === "fast" ? "" : `${mode}_`;
  const prompt = requested.prompt
    ?.split(/--(?:fast|relax|turbo)\b/)
    .map((part) => part.trimEnd())
    .join("")
    .trim();
  if (action === "IMAGINE" && (prompt === undefined || prompt === ""))
    throw invalidRequest({ reason: "field_required", field: "prompt" });
  const { notifyHook: _hook, accountFilter: _filter, ...rest } = body;
  const sent = {
    ...rest,
    ...(prompt === undefined ? {} : { prompt }),
    accountFilter: { modes: [mode.toUpperCase()] },
  };
  return {
    action,
    model: `mj_${speed}${action.toLowerCase()}`,
    prompt: prompt ?? "",
    path: name === SWAP ? `/mj/${SWAP}` : `/mj/submit/${name}`,
    bodyFor: () => sent,
    notifyHook: requested.notifyHook ?? "",
    properties: { prompt: prompt ?? "", state: requested.state ?? "", mode },
  };
}

type MidjourneyRequest = z.infer<typeof MidjourneyRequest>;

function actionOf(name: string, { action, content, customId }: MidjourneyRequest): string {
  const known = first[name];
  if (known !== undefined) return known;
  switch (name) {
    case SWAP:
      return "SWAP_FACE";
    case "modal":
      return "MODAL";
    case "change": {
      const wanted = action?.toUpperCase() ?? "";
      if (changes.has(wanted)) return wanted;
      throw invalidRequest({ reason: "midjourney_action" }, { param: "action" });
    }
    case "simple-change": {
      const wanted = contentOf(content)?.action;
      if (wanted !== undefined) return wanted;
      throw invalidRequest({ reason: "midjourney_content" }, { param: "content" });
    }
    case "action":
      return buttonOf(customId ?? "");
    default:
      throw notFound({ reason: "customizing_address_not_found" });
  }
}

/** Parses a value such as `1320098173412546 U2`. */
function contentOf(content: string | null | undefined): { id: string; action: string } | undefined {
  const [, id = "", letter = ""] = /^\s*(\S{1,64})\s+(?:([UV])[1-4]|R)\s*$/i.exec(content ?? "") ?? [];
  if (id === "") return undefined;
  const named = { U: "UPSCALE", V: "VARIATION" }[letter.toUpperCase()];
  return { id, action: named ?? "REROLL" };
}

/** Action of a button by the provider's name for it: `MJ::JOB::upsample::2::…`, `MJ::CustomZoom::…` */
const buttons: readonly [RegExp, string][] = [
  [/upsample/i, "UPSCALE"],
  [/low_variation/i, "LOW_VARIATION"],
  [/high_variation/i, "HIGH_VARIATION"],
  [/variation/i, "VARIATION"],
  [/pan_/i, "PAN"],
  [/reroll/i, "REROLL"],
  [/customzoom/i, "CUSTOM_ZOOM"],
  [/outpaint/i, "ZOOM"],
  [/inpaint/i, "INPAINT"],
];

function buttonOf(customId: string): string {
  const action = buttons.find(([pattern]) => pattern.test(customId))?.[1];
  if (action !== undefined) return action;
  throw invalidRequest({ reason: "midjourney_button" }, { param: "customId" });
}

/** Labels of the states and kinds of tasks. */
import type { TaskStatus } from "@gateway/shared/channels/task";
import { lookupTable } from "@gateway/shared/lookup-table";
import { phrasesIn } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

const phrase = phrasesIn("tasks");

export const statusLabels: Record<TaskStatus, { tone: Tone; text: string }> = {
  NOT_START: { tone: "idle", text: phrase("Not started") },
  SUBMITTED: { tone: "idle", text: phrase("Accepted") },
  QUEUED: { tone: "idle", text: phrase("Queued") },
  IN_PROGRESS: { tone: "accent", text: phrase("In progress") },
  SUCCESS: { tone: "good", text: phrase("Done") },
  FAILURE: { tone: "bad", text: phrase("Failed") },
  UNKNOWN: { tone: "warn", text: phrase("Unknown") },
};

/** Statuses of the filter, in the order of a task's life cycle. */
export const statuses = Object.keys(statusLabels) as TaskStatus[];

const songAndVideoLabels = lookupTable<string>({
  MUSIC: phrase("Song"),
  LYRICS: phrase("Lyrics"),
  text2video: phrase("Video from text"),
  image2video: phrase("Video from an image"),
});

const midjourneyLabels = lookupTable<string>({
  IMAGINE: phrase("Imagine"),
  DESCRIBE: phrase("Describe"),
  BLEND: phrase("Blend"),
  SHORTEN: phrase("Shorten"),
  UPSCALE: phrase("Upscale"),
  VARIATION: phrase("Variation"),
  HIGH_VARIATION: phrase("High variation"),
  LOW_VARIATION: phrase("Low variation"),
  REROLL: phrase("Reroll"),
  PAN: phrase("Pan"),
  ZOOM: phrase("Zoom"),
  CUSTOM_ZOOM: phrase("Custom zoom"),
  INPAINT: phrase("Inpaint"),
  MODAL: phrase("Modal"),
  SWAP_FACE: phrase("Swap face"),
  UPLOAD: phrase("Upload"),
});

/** Kinds of the filter. */
export const taskActions = Object.keys(songAndVideoLabels);

export const midjourneyActions = Object.keys(midjourneyLabels);

/**
 * Returns the label of an action in English. An unknown one is derived from the provider's name:
 * LOW_VARIATION → "Low variation".
 */
export function actionWord(action: string): string {
  const word = songAndVideoLabels[action] ?? midjourneyLabels[action];
  return word ?? action.charAt(0) + action.slice(1).toLowerCase().replaceAll("_", " ");
}

export const platformNames = { suno: "Suno", kling: "Kling", midjourney: "Midjourney" } as const;

/** Returns whether the task may still change. */
export function isOpen({ status }: { status: string }): boolean {
  return status !== "SUCCESS" && status !== "FAILURE";
}

/** What the states and kinds of tasks are called. */
import type { TaskStatus } from "@gateway/shared/task";
import { phrase } from "#lib/i18n.ts";
import type { Tone } from "#ui/status-dot.tsx";

export const statusWords: Record<TaskStatus, { tone: Tone; text: string }> = {
  NOT_START: { tone: "idle", text: phrase("Not started") },
  SUBMITTED: { tone: "idle", text: phrase("Taken on") },
  QUEUED: { tone: "idle", text: phrase("In the queue") },
  IN_PROGRESS: { tone: "accent", text: phrase("Under way") },
  SUCCESS: { tone: "good", text: phrase("Done") },
  FAILURE: { tone: "bad", text: phrase("Failed") },
  UNKNOWN: { tone: "warn", text: phrase("Unknown") },
};

/** Those to filter by, in the order of a task's life. */
export const statuses = Object.keys(statusWords) as TaskStatus[];

const actionWords: Record<string, string> = {
  MUSIC: phrase("Song"),
  LYRICS: phrase("Lyrics"),
  text2video: phrase("Video from text"),
  image2video: phrase("Video from a picture"),
};

/** The kinds that a list of tasks can be narrowed to. */
export const taskActions = Object.keys(actionWords);

/** English; what has no word of ours is a word of its vendor's: LOW_VARIATION reads "Low variation". */
export function actionWord(action: string): string {
  return actionWords[action] ?? action.charAt(0) + action.slice(1).toLowerCase().replaceAll("_", " ");
}

export const midjourneyActions = [
  "IMAGINE",
  "DESCRIBE",
  "BLEND",
  "SHORTEN",
  "UPSCALE",
  "VARIATION",
  "HIGH_VARIATION",
  "LOW_VARIATION",
  "REROLL",
  "PAN",
  "ZOOM",
  "CUSTOM_ZOOM",
  "INPAINT",
  "MODAL",
  "SWAP_FACE",
  "UPLOAD",
];

export const platformNames = { suno: "Suno", kling: "Kling", midjourney: "Midjourney" } as const;

/** It may still change. */
export function isOpen({ status }: { status: string }): boolean {
  return status !== "SUCCESS" && status !== "FAILURE";
}

import type { TaskPlatform } from "@gateway/shared/channels/task";
import { klingWire } from "./kling.ts";
import { midjourneyWire } from "./midjourney.ts";
import { sunoWire } from "./suno.ts";
import type { TaskWire } from "./task.ts";

/** All asynchronous wire formats. */
export const taskWires: Record<TaskPlatform, TaskWire> = {
  suno: sunoWire,
  kling: klingWire,
  midjourney: midjourneyWire,
};

export function taskWireOf(platform: string): TaskWire | undefined {
  return Object.values(taskWires).find((wire) => wire.platform === platform);
}

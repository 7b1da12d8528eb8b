import type { TaskPlatform } from "@gateway/shared/task";
import { klingWire } from "./kling-wire.ts";
import { midjourneyWire } from "./midjourney-wire.ts";
import { sunoWire } from "./suno-wire.ts";
import type { TaskWire } from "./task-wire.ts";

/** Every wire whose answers come later. */
export const taskWires: Record<TaskPlatform, TaskWire> = {
  suno: sunoWire,
  kling: klingWire,
  midjourney: midjourneyWire,
};

export function taskWireOf(platform: string): TaskWire | undefined {
  return Object.values(taskWires).find((wire) => wire.platform === platform);
}

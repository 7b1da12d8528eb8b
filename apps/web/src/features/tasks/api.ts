/** Work that providers do later, as its reader may see it. */
import {
  MidjourneyPage,
  MidjourneyQuery,
  type MidjourneyRow,
  TaskPage,
  type TaskQuery,
  type TaskRow,
} from "@gateway/shared/channels/task";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { http } from "#lib/http.ts";
import { isOpen } from "./task-labels.ts";

/** Everyone's rows are for administrators. */
export type Whose = "everybody" | "own";

/** Providers are asked every ten seconds; looking more often shows nothing new. */
const WATCH_MS = 5_000;

const paths = {
  everybody: { task: "/task", mj: "/mj" },
  own: { task: "/task/self", mj: "/mj/self" },
} as const;

type Loaded = { state: { data: { data: { status: string }[] } | undefined } };
/** Only what is shown and not finished is worth watching. */
const watching = ({ state }: Loaded) => (state.data?.data.some(isOpen) ? WATCH_MS : false);

export const tasksQuery = (whose: Whose, query: TaskQuery) =>
  queryOptions({
    queryKey: ["task", whose, query],
    queryFn: () => http.get(paths[whose].task, TaskPage, query),
    placeholderData: keepPreviousData,
    refetchInterval: watching,
  });

/** @param query with seconds, as the address bar has them */
export const midjourneyQuery = (whose: Whose, query: TaskQuery) =>
  queryOptions({
    queryKey: ["mj", whose, query],
    queryFn: () => {
      const { platform: _platform, ...rest } = query;
      const requested: MidjourneyQuery = {
        ...MidjourneyQuery.parse({}),
        ...rest,
        start_timestamp: query.start_timestamp * 1_000,
        end_timestamp: query.end_timestamp * 1_000,
      };
      return http.get(paths[whose].mj, MidjourneyPage, requested);
    },
    placeholderData: keepPreviousData,
    refetchInterval: watching,
  });

/** For an address that names a task which the list does not show. */
export async function fetchTask(whose: Whose, taskId: string): Promise<TaskRow | undefined> {
  const found = await http.get(paths[whose].task, TaskPage, { task_id: taskId.slice(0, 64), size: 1 });
  return found.data[0];
}

/** The same for a task of Midjourney. */
export async function fetchMidjourney(whose: Whose, taskId: string): Promise<MidjourneyRow | undefined> {
  const found = await http.get(paths[whose].mj, MidjourneyPage, { mj_id: taskId.slice(0, 64), size: 1 });
  return found.data[0];
}

/** What names a task in an address: the provider's id, or ours when it has none. */
export const keyOfTask = (row: { id: number; task_id: string }) => row.task_id || String(row.id);
export const keyOfMidjourney = (row: { id: number; mj_id: string }) => row.mj_id || String(row.id);

/** The result of a task, parsed from its provider's response. Pure. */
import type { TaskRow } from "@gateway/shared/channels/task";
import { z } from "zod";

/** Sources that a player may load: https and data URLs. */
const Media = z.string().refine((url) => /^(https:|data:(audio|video|image)\/)/.test(url));

const Clip = z.object({
  id: z.string().catch(""),
  title: z.string().catch(""),
  audio_url: Media.optional().catch(undefined),
  video_url: Media.optional().catch(undefined),
  image_url: Media.optional().catch(undefined),
  metadata: z
    .object({ tags: z.string().nullish().catch(""), prompt: z.string().nullish().catch("") })
    .nullish()
    .catch(null),
});
export type Clip = z.infer<typeof Clip>;

const Songs = z.object({ data: z.array(Clip).min(1) });
const Lyrics = z.object({ data: z.object({ title: z.string().catch(""), text: z.string() }) });
const Videos = z.object({
  task_result: z.object({ videos: z.array(z.object({ id: z.string().catch(""), url: Media })).min(1) }),
});

export type Result =
  | { kind: "songs"; clips: Clip[] }
  | { kind: "lyrics"; title: string; text: string }
  | { kind: "videos"; videos: { id: string; url: string }[] }
  | { kind: "other" };

export function resultOf({ data }: Pick<TaskRow, "data">): Result {
  const songs = Songs.safeParse(data);
  if (songs.success) return { kind: "songs", clips: songs.data.data };
  const lyrics = Lyrics.safeParse(data);
  if (lyrics.success) return { kind: "lyrics", ...lyrics.data.data };
  const videos = Videos.safeParse(data);
  if (videos.success) return { kind: "videos", videos: videos.data.task_result.videos };
  return { kind: "other" };
}

/** The result of a task, parsed from its provider's response. Pure. */
import type { TaskRow } from "@gateway/shared/channels/task";

export type Clip = {
  id: string;
  title: string;
  audio_url: string | undefined;
  video_url: string | undefined;
  image_url: string | undefined;
  metadata: { tags: string; prompt: string };
};

export type Result =
  | { kind: "songs"; clips: Clip[] }
  | { kind: "lyrics"; title: string; text: string }
  | { kind: "videos"; videos: { id: string; url: string }[] }
  | { kind: "other" };

export function resultOf({ data }: Pick<TaskRow, "data">): Result {
  const inner = fieldsOf(data)["data"];
  if (Array.isArray(inner) && inner.length > 0 && inner.every(isObject))
    return { kind: "songs", clips: inner.map(clipOf) };
  const lyrics = fieldsOf(inner);
  if (typeof lyrics["text"] === "string")
    return { kind: "lyrics", title: textOf(lyrics["title"]), text: lyrics["text"] };
  const videos = videosOf(fieldsOf(fieldsOf(data)["task_result"])["videos"]);
  return videos === undefined ? { kind: "other" } : { kind: "videos", videos };
}

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns an address that a player may load: https and data URLs. */
function mediaOf(url: unknown): string | undefined {
  return typeof url === "string" && /^(https:|data:(audio|video|image)\/)/.test(url) ? url : undefined;
}

function clipOf(clip: Fields): Clip {
  const { tags, prompt } = fieldsOf(clip["metadata"]);
  return {
    id: textOf(clip["id"]),
    title: textOf(clip["title"]),
    audio_url: mediaOf(clip["audio_url"]),
    video_url: mediaOf(clip["video_url"]),
    image_url: mediaOf(clip["image_url"]),
    metadata: { tags: textOf(tags), prompt: textOf(prompt) },
  };
}

/** Returns undefined unless every video has an address that a player may load. */
function videosOf(list: unknown): { id: string; url: string }[] | undefined {
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const videos = list.map((video: unknown) => {
    const { id, url } = fieldsOf(video);
    return { id: textOf(id), url: mediaOf(url) };
  });
  return videos.every((video): video is { id: string; url: string } => video.url !== undefined)
    ? videos
    : undefined;
}

import { expect, it } from "vitest";
import { resultOf } from "./task-result.ts";

it("result of a task: songs, without addresses that a player must not load", () => {
  const song = {
    id: "1",
    title: "Rain",
    audio_url: "https://a.test/1.mp3",
    video_url: "javascript:alert(1)",
  };
  expect(resultOf({ data: { data: [song, { title: 5, metadata: null }] } })).toEqual({
    kind: "songs",
    clips: [
      {
        id: "1",
        title: "Rain",
        audio_url: "https://a.test/1.mp3",
        video_url: undefined,
        image_url: undefined,
        metadata: { tags: "", prompt: "" },
      },
      {
        id: "",
        title: "",
        audio_url: undefined,
        video_url: undefined,
        image_url: undefined,
        metadata: { tags: "", prompt: "" },
      },
    ],
  });
});

it("result of a task: lyrics and videos", () => {
  expect(resultOf({ data: { data: { title: "Rain", text: "It rains" } } })).toEqual({
    kind: "lyrics",
    title: "Rain",
    text: "It rains",
  });
  const videos = (url: string) => resultOf({ data: { task_result: { videos: [{ id: "v", url }] } } });
  expect(videos("https://a.test/v.mp4")).toEqual({
    kind: "videos",
    videos: [{ id: "v", url: "https://a.test/v.mp4" }],
  });
  expect(videos("http://a.test/v.mp4")).toEqual({ kind: "other" });
});

it("result of a task: anything else", () => {
  for (const data of [null, "text", [], {}, { data: [] }, { data: ["x"] }, { task_result: { videos: [] } }])
    expect(resultOf({ data })).toEqual({ kind: "other" });
});

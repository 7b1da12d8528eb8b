import { randomUUID } from "node:crypto";
import { type Json, asList, asObject, asText } from "#answer/json.ts";
import { BadQuestion } from "#answer/question.ts";
import { withoutSwitches } from "#answer/switches.ts";
import { type Reply, json } from "#exchange.ts";
import { wave, melody } from "./audio.ts";
import { picture } from "./images.ts";
import { clip } from "./video.ts";

/**
 * Asynchronous work: songs, videos and pictures. It advances one step with every status request, so that
 * tests need not wait: accepted, running, done.
 */
interface Work {
  id: string;
  action: string;
  prompt: string;
  /** `[[task=fail]]`, `[[task=forget]]`, `[[task=stay]]` in the prompt. */
  fate: string;
  requested: number;
  begun: number;
}

const MOST_WORKS = 1_000;
const works = new Map<string, Work>();

function begin(action: string, text: string, id: string): Work {
  const [oldest] = works.keys();
  if (works.size >= MOST_WORKS && oldest !== undefined) works.delete(oldest);
  const fate = /\[\[\s*task=(\w+)\s*\]\]/.exec(text)?.[1] ?? "";
  const work = { id, action, prompt: withoutSwitches(text), fate, requested: 0, begun: Date.now() };
  works.set(id, work);
  return work;
}

type Step = "taken" | "working" | "done" | "failed";

function step(work: Work): Step {
  work.requested += 1;
  if (work.requested === 1) return "taken";
  if (work.requested === 2 || work.fate === "stay") return "working";
  return work.fate === "fail" ? "failed" : "done";
}

function findWorks(ids: unknown): Work[] {
  return asList(ids).flatMap((id) => {
    const work = works.get(String(id));
    return work === undefined || work.fate === "forget" ? [] : [work];
  });
}

const REASON = "The demo provider was set to fail.";
const dataUrl = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString("base64")}`;

export function submitSuno(action: "MUSIC" | "LYRICS", body: Json): Reply {
  const text = asText(body["gpt_description_prompt"]) || asText(body["prompt"]);
  if (text === "") return json({ code: "invalid_request", message: "'prompt' must be a text.", data: null });
  return json({ code: "success", message: "", data: begin(action, text, randomUUID()).id });
}

const sunoStatus = {
  taken: "SUBMITTED",
  working: "IN_PROGRESS",
  done: "SUCCESS",
  failed: "FAILURE",
} as const;
const percent = { taken: "0%", working: "50%", done: "100%", failed: "100%" } as const;

export function fetchSuno(body: Json): Reply {
  const data = findWorks(body["ids"]).map((work) => {
    const at = step(work);
    return {
      task_id: work.id,
      action: work.action,
      status: sunoStatus[at],
      fail_reason: at === "failed" ? REASON : "",
      submit_time: Math.floor(work.begun / 1000),
      start_time: at === "taken" ? 0 : Math.floor(work.begun / 1000),
      finish_time: at === "done" || at === "failed" ? Math.floor(Date.now() / 1000) : 0,
      progress: percent[at],
      data: at === "done" ? resultOf(work) : null,
    };
  });
  return json({ code: "success", message: "", data });
}

function resultOf(work: Work): unknown {
  const title = work.prompt.split(/\s+/).slice(0, 5).join(" ");
  if (work.action === "LYRICS")
    return {
      id: work.id,
      title,
      status: "complete",
      text: `[Verse]\n${work.prompt}\nand the demo hums along\n\n[Chorus]\nOh, ${title}\nthis was never really sung`,
    };
  return [1, 2].map((take) => ({
    id: randomUUID(),
    user_id: "user-at-the-provider",
    title: `${title} ${take}`,
    status: "complete",
    model_name: "chirp-demo",
    audio_url: dataUrl("audio/wav", wave(melody(`${take} ${work.prompt.slice(0, 24)}`))),
    image_url: dataUrl("image/png", picture(`${work.prompt} ${take}`)),
    video_url: "",
    metadata: { tags: "demo, soft", prompt: work.prompt, gpt_description_prompt: work.prompt, duration: 4 },
  }));
}

export function submitKling(action: string, body: Json): Reply {
  const text = asText(body["prompt"]);
  if (text === "" && asText(body["image"]) === "")
    return json({ code: 1201, message: "'prompt' must be a text.", request_id: randomUUID() });
  const work = begin(action, text, randomUUID());
  return klingAnswer(work, "taken");
}

export function fetchKling(id: string): Reply {
  const [work] = findWorks([id]);
  if (work === undefined) return json({ code: 1203, message: "Task not found.", request_id: randomUUID() });
  return klingAnswer(work, step(work));
}

const klingStatus = { taken: "submitted", working: "processing", done: "succeed", failed: "failed" } as const;

function klingAnswer(work: Work, at: Step): Reply {
  return json({
    code: 0,
    message: "SUCCEED",
    request_id: randomUUID(),
    data: {
      task_id: work.id,
      task_status: klingStatus[at],
      task_status_msg: at === "failed" ? REASON : "",
      created_at: work.begun,
      updated_at: Date.now(),
      ...(at === "done" ? { task_result: { videos: [{ id: randomUUID(), url: clip, duration: "5" }] } } : {}),
    },
  });
}

export function submitMidjourney(action: string, body: Json): Reply {
  const text = asText(body["prompt"]) || asText(body["content"]) || action;
  if (text.includes("[[banned]]"))
    return json({ code: 24, description: "The prompt holds a banned word.", result: null, properties: {} });
  const again = /\[\[again=(\d+)\]\]/.exec(text)?.[1];
  if (again !== undefined)
    return json({ code: 21, description: "The task exists.", result: again, properties: {} });
  if (action === "ACTION" && asText(body["customId"]) === "")
    throw new BadQuestion("'customId' must be a text.", "customId");
  // Like the real provider's ids: digits that begin with the time.
  const id = `${Date.now()}${String(Math.floor(Math.random() * 1_000)).padStart(3, "0")}`;
  begin(action, text, id);
  return json({ code: 1, description: "Submit success", result: id, properties: {} });
}

export function fetchMidjourney(body: Json): Reply {
  const list = findWorks(body["ids"]).map((work) => {
    const at = step(work);
    return {
      id: work.id,
      action: work.action,
      prompt: work.prompt,
      promptEn: work.prompt,
      description: `/imagine ${work.prompt}`,
      state: "",
      submitTime: work.begun,
      startTime: at === "taken" ? 0 : work.begun,
      finishTime: at === "done" || at === "failed" ? Date.now() : 0,
      imageUrl: at === "done" ? dataUrl("image/png", picture(work.prompt)) : "",
      status: sunoStatus[at],
      progress: percent[at],
      failReason: at === "failed" ? REASON : "",
      buttons: at === "done" ? [{ customId: `MJ::JOB::upsample::1::${work.id}`, label: "U1" }] : [],
      properties: asObject({ account: "user-at-the-provider" }),
    };
  });
  return { type: "application/json", body: JSON.stringify(list) };
}

export function seedOf(id: string): Reply {
  return json({ code: 1, description: "success", result: String(Number(id.slice(-6)) + 1) });
}

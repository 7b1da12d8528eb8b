/** Conversations in this browser, separate for each account. They are never stored on the server. */
import { z } from "zod";
import { writeStorage, readStorage } from "#lib/browser-storage.ts";
import { Chat, isRunning } from "./chat.ts";

const mostChats = 50;

const keyOf = (userId: number) => `playground:${userId}`;

export function loadChats(userId: number): Chat[] {
  try {
    const stored = z.array(z.unknown()).safeParse(JSON.parse(readStorage(keyOf(userId)) ?? "[]"));
    const chats = (stored.data ?? []).map((chat) => Chat.safeParse(chat).data);
    return chats.filter((chat) => chat !== undefined).map(stopAnswers);
  } catch {
    return [];
  }
}

/** Marks answers as stopped that were in progress when the page was closed. */
function stopAnswers(chat: Chat): Chat {
  return {
    ...chat,
    turns: chat.turns.map((turn) => ({
      ...turn,
      answers: turn.answers.map((answer) =>
        isRunning(answer) ? { ...answer, state: "stopped" as const } : answer,
      ),
    })),
  };
}

/**
 * Stores the conversations, newest first. When the quota is
 * exceeded, the oldest lose their images and are then dropped.
 */
export function saveChats(userId: number, chats: Chat[]): void {
  let saved = chats.filter((chat) => chat.turns.length > 0).slice(0, mostChats);
  for (let pictured = saved.length; saved.length > 0;) {
    try {
      localStorage.setItem(keyOf(userId), JSON.stringify(saved));
      return;
    } catch {
      if (pictured > 0) {
        pictured -= 1;
        saved = saved.map((chat, place) => (place === pictured ? withoutPictures(chat) : chat));
      } else saved = saved.slice(0, -1);
    }
  }
  writeStorage(keyOf(userId), null);
}

function withoutPictures(chat: Chat): Chat {
  return {
    ...chat,
    turns: chat.turns.map((turn) => ({
      ...turn,
      images: [],
      answers: turn.answers.map((answer) => ({ ...answer, images: [] })),
    })),
  };
}

/** State of the playground: the conversations, the answers in progress, and how to stop them. */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { PlaygroundDraft } from "#lib/playground-draft.ts";
import { chargeOf, keyQuery } from "./api.ts";
import { loadChats, saveChats } from "./chat-storage.ts";
import {
  type Answer,
  type Chat,
  chatOf,
  isRunning,
  messagesFor,
  newAnswer,
  newId,
  noParameters,
  type Parameters,
} from "./chat.ts";
import { CompletionError, type CompletionEvent, streamCompletion } from "./completion.ts";
import { drawPicture, isImageModel } from "./drawing.ts";

export type Question = { text: string; images: string[] };

export type Chats = {
  /** Newest first. A conversation without a question is not stored. */
  all: Chat[];
  current: Chat;
  running: boolean;
  open: (id: string) => void;
  start: () => void;
  remove: (id: string) => void;
  /** Restores a deleted conversation. */
  restore: (chat: Chat) => void;
  setModels: (models: string[]) => void;
  setParameters: (parameters: Parameters) => void;
  /** @param replaces id of the last turn, if the question is sent in place of it */
  send: (question: Question, replaces?: string) => void;
  again: (turnId: string, answerId: string) => void;
  stop: () => void;
};

type Job = { chatId: string; turnId: string; answerId: string };

const now = () => Math.floor(Date.now() / 1000);

function emptyChat(like?: Chat): Chat {
  return {
    id: newId(),
    updated: now(),
    models: like?.models ?? [],
    parameters: like?.parameters ?? noParameters,
    turns: [],
  };
}

function withAnswer(chats: Chat[], job: Job, change: (answer: Answer) => Answer): Chat[] {
  return chats.map((chat) =>
    chat.id !== job.chatId
      ? chat
      : {
          ...chat,
          turns: chat.turns.map((turn) =>
            turn.id !== job.turnId
              ? turn
              : {
                  ...turn,
                  answers: turn.answers.map((answer) =>
                    answer.id === job.answerId ? change(answer) : answer,
                  ),
                },
          ),
        },
  );
}

function addEvent(answer: Answer, event: CompletionEvent, sinceMs: number): Answer {
  const firstWord = answer.firstWord || sinceMs;
  switch (event.type) {
    case "opened":
      return { ...answer, requestId: event.requestId };
    case "text":
      return { ...answer, state: "streaming", firstWord, text: answer.text + event.text };
    case "reasoning":
      return { ...answer, state: "streaming", firstWord, reasoning: answer.reasoning + event.text };
    case "image":
      return { ...answer, state: "streaming", firstWord, images: [...answer.images, event.url] };
    case "finish":
      return { ...answer, finish: event.reason };
    case "usage":
      return { ...answer, usage: { input: event.input, output: event.output } };
  }
}

/**
 * @param defaultModel model of a new chat; "" while unknown
 * @param draft conversation from another screen, opened first
 */
export function useChats(userId: number, defaultModel: string, draft?: PlaygroundDraft): Chats {
  const client = useQueryClient();
  const [chats, setChats] = useState<Chat[]>(() => {
    const stored = loadChats(userId);
    return [draft ? chatOf(draft, now()) : emptyChat(stored[0]), ...stored];
  });
  const [currentId, setCurrentId] = useState(() => chats[0]?.id ?? "");
  const aborts = useRef(new Map<string, AbortController>());
  // Read and written by running calls: state would be one render behind.
  const latest = useRef(chats);

  const change = useCallback((update: (chats: Chat[]) => Chat[]) => {
    latest.current = update(latest.current);
    setChats(latest.current);
  }, []);

  const currentChat = chats.find((chat) => chat.id === currentId) ?? chats[0];
  const current = useMemo(() => {
    const chat = currentChat ?? emptyChat();
    return chat.models.length === 0 && defaultModel !== "" ? { ...chat, models: [defaultModel] } : chat;
  }, [currentChat, defaultModel]);

  const anyRunning = chats.some((chat) => chat.turns.some((turn) => turn.answers.some(isRunning)));
  useEffect(() => {
    if (!anyRunning) saveChats(userId, chats);
  }, [chats, anyRunning, userId]);

  useEffect(() => {
    const running = aborts.current;
    const save = () => saveChats(userId, latest.current);
    // A reload does not unmount components, and an answer may be in progress.
    window.addEventListener("pagehide", save);
    return () => {
      window.removeEventListener("pagehide", save);
      for (const abort of running.values()) abort.abort();
      save();
    };
  }, [userId]);

  const ask = useCallback(
    async (job: Job, place: number) => {
      const chat = latest.current.find((one) => one.id === job.chatId);
      const turn = chat?.turns.find((one) => one.id === job.turnId);
      const model = turn?.answers.find((answer) => answer.id === job.answerId)?.model;
      if (!chat || model === undefined) return;
      const abort = new AbortController();
      aborts.current.set(job.answerId, abort);
      const started = performance.now();
      const elapsedMs = () => Math.round(performance.now() - started);
      const set = (update: (answer: Answer) => Answer) => change((all) => withAnswer(all, job, update));
      const grow = byFrame((events: CompletionEvent[]) => {
        const at = elapsedMs();
        set((answer) => events.reduce((sum, event) => addEvent(sum, event, at), answer));
      });
      let end: Partial<Answer> = { state: "done" };
      try {
        const { temperature, topP, maxTokens } = chat.parameters;
        const call = isImageModel(model) ? drawPicture : streamCompletion;
        await call(
          {
            key: await client.fetchQuery(keyQuery),
            model,
            messages: messagesFor(chat, job.turnId, model, place),
            temperature,
            topP,
            maxTokens,
            signal: abort.signal,
          },
          grow.push,
        );
      } catch (error) {
        end = endOf(error, abort.signal.aborted);
        // Requests a new key for the next call after the current one was revoked.
        if (error instanceof CompletionError && error.status === 401)
          client.removeQueries({ queryKey: keyQuery.queryKey });
      }
      grow.flush();
      aborts.current.delete(job.answerId);
      set((answer) => ({ ...answer, ...end, duration: elapsedMs() }));
      const requestId = latest.current
        .find((one) => one.id === job.chatId)
        ?.turns.flatMap((one) => one.answers)
        .find((answer) => answer.id === job.answerId)?.requestId;
      if (!requestId || end.state === "failed") return;
      const charge = await chargeOf(requestId).catch(() => null);
      if (charge) set((answer) => ({ ...answer, charge }));
    },
    [change, client],
  );

  const update = (id: string, patch: (chat: Chat) => Partial<Chat>) =>
    change((all) => all.map((chat) => (chat.id === id ? { ...chat, ...patch(chat) } : chat)));

  return {
    all: chats,
    current,
    running: current.turns.some((turn) => turn.answers.some(isRunning)),
    open: setCurrentId,
    start: () => {
      const empty = latest.current.find((chat) => chat.turns.length === 0);
      const fresh = empty ?? emptyChat(current);
      if (!empty) change((all) => [fresh, ...all]);
      setCurrentId(fresh.id);
    },
    remove: (id) => {
      for (const answer of answersOf(latest.current, id)) aborts.current.get(answer.id)?.abort();
      const rest = latest.current.filter((chat) => chat.id !== id);
      const fresh = emptyChat(current);
      change(() => (rest.some((chat) => chat.turns.length === 0) ? rest : [fresh, ...rest]));
      if (id === current.id) setCurrentId(latest.current[0]?.id ?? "");
    },
    restore: (chat) => {
      change((all) => [...all, chat].sort((a, b) => b.updated - a.updated));
      setCurrentId(chat.id);
    },
    setModels: (models) => update(current.id, () => ({ models })),
    setParameters: (parameters) => update(current.id, () => ({ parameters })),
    send: ({ text, images }, replaces) => {
      const answers = current.models.map(newAnswer);
      const turn = { id: newId(), text, images, answers };
      const { id, models } = current;
      update(id, ({ turns }) => ({
        models,
        updated: now(),
        turns: [...turns.filter((each) => each.id !== replaces), turn],
      }));
      change((all) => [...all].sort((a, b) => b.updated - a.updated));
      answers.forEach((answer, place) => {
        void ask({ chatId: id, turnId: turn.id, answerId: answer.id }, place);
      });
    },
    again: (turnId, answerId) => {
      const job = { chatId: current.id, turnId, answerId };
      const place = current.turns
        .find((turn) => turn.id === turnId)
        ?.answers.findIndex((answer) => answer.id === answerId);
      change((all) => withAnswer(all, job, (answer) => ({ ...newAnswer(answer.model), id: answerId })));
      void ask(job, place ?? 0);
    },
    stop: () => {
      for (const answer of answersOf(latest.current, current.id)) aborts.current.get(answer.id)?.abort();
    },
  };
}

function answersOf(chats: Chat[], chatId: string): Answer[] {
  return chats.find((chat) => chat.id === chatId)?.turns.flatMap((turn) => turn.answers) ?? [];
}

function endOf(error: unknown, aborted: boolean): Partial<Answer> {
  if (aborted) return { state: "stopped" };
  if (error instanceof CompletionError) {
    const { message, code, params, requestId } = error;
    return { state: "failed", error: message, code, params, requestId };
  }
  // The connection broke: the screen has the message for it.
  return { state: "failed", error: "" };
}

/** Collects items for one frame, so that a fast stream does not render on every chunk. */
function byFrame<T>(use: (gathered: T[]) => void): { push: (item: T) => void; flush: () => void } {
  let gathered: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered.length === 0) return;
    const items = gathered;
    gathered = [];
    use(items);
  };
  return {
    push: (item) => {
      gathered.push(item);
      timer ??= setTimeout(flush, frameMs);
    },
    flush,
  };
}

const frameMs = 40;

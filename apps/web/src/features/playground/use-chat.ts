import { useRef, useState } from "react";
import { ChatError, type ChatSettings, type ChatTurn, type ChatUsage, streamChat } from "./chat-stream.ts";

export type ChatMessage = {
  id: number;
  role: "user" | "assistant";
  text: string;
  reasoning: string;
  model: string;
  state: "writing" | "done" | "stopped" | "failed";
  error: string;
  requestId: string;
  usage: ChatUsage | null;
  /** Milliseconds to the first piece, and in all. */
  firstMs: number;
  totalMs: number;
};

const blank = {
  text: "",
  reasoning: "",
  model: "",
  error: "",
  requestId: "",
  usage: null,
  firstMs: 0,
  totalMs: 0,
};

/** A conversation with one model at a time; lives as long as the screen. */
export function useChat(key: string | undefined) {
  const [messages, setMessages] = useState<ChatMessage[]>([]);
  const [busy, setBusy] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const nextId = useRef(1);

  const patch = (id: number, change: (message: ChatMessage) => Partial<ChatMessage>) =>
    setMessages((all) => all.map((one) => (one.id === id ? { ...one, ...change(one) } : one)));

  async function answer(history: ChatMessage[], system: string, settings: ChatSettings): Promise<void> {
    if (!key) return;
    const id = nextId.current++;
    const reply: ChatMessage = { ...blank, id, role: "assistant", model: settings.model, state: "writing" };
    setMessages([...history, reply]);
    setBusy(true);
    const controller = new AbortController();
    abort.current = controller;
    const turns: ChatTurn[] = [
      ...(system.trim() ? [{ role: "system" as const, content: system }] : []),
      ...history.filter((one) => one.text !== "").map((one) => ({ role: one.role, content: one.text })),
    ];
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    const started = (requestId: string) => patch(id, () => ({ requestId }));
    try {
      for await (const piece of streamChat(key, turns, settings, controller.signal, started))
        patch(id, (one) => {
          if (piece.type === "usage") return { usage: piece.usage };
          return { [piece.type]: one[piece.type] + piece.text, firstMs: one.firstMs || elapsed() };
        });
      patch(id, () => ({ state: "done", totalMs: elapsed() }));
    } catch (error) {
      if (controller.signal.aborted) patch(id, () => ({ state: "stopped", totalMs: elapsed() }));
      else
        patch(id, () => ({
          state: "failed",
          error: error instanceof Error ? error.message : String(error),
          ...(error instanceof ChatError ? { requestId: error.requestId } : {}),
          totalMs: elapsed(),
        }));
    } finally {
      abort.current = null;
      setBusy(false);
    }
  }

  return {
    messages,
    busy,
    send: (text: string, system: string, settings: ChatSettings) =>
      answer(
        [...messages, { ...blank, id: nextId.current++, role: "user", text, state: "done" }],
        system,
        settings,
      ),
    /** Asks again for the last answer. */
    retry: (system: string, settings: ChatSettings) =>
      answer(messages.slice(0, messages.findLastIndex((one) => one.role === "user") + 1), system, settings),
    stop: () => abort.current?.abort(),
    clear: () => {
      abort.current?.abort();
      setMessages([]);
    },
  };
}

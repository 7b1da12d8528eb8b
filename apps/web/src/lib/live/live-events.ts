/** Server-sent events for live screens. Reconnects after a loss and closes while the page is hidden. */
import type { LiveEvent } from "@gateway/shared/live-event";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { apiUrl } from "#lib/http.ts";

export type Connection = "connecting" | "live" | "lost";

/** The server sends data at least every 15 seconds. A connection that is silent for longer is dead. */
const SILENCE_MS = 40_000;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

type LiveEvents = {
  /** Path below /api, evaluated for each connection. */
  path: () => string;
  /** Handles an event. If it throws, the connection counts as lost. */
  onEvent: (data: unknown) => void;
};

/** @returns the state of the connection, and a function that reconnects immediately */
export function useLiveEvents({ path, onEvent }: LiveEvents): [Connection, () => void] {
  const [state, setState] = useState<Connection>("connecting");
  const reopen = useRef(() => {});
  const address = useEffectEvent(() => apiUrl(path()));
  const receive = useEffectEvent((text: string) => {
    const event = JSON.parse(text) as LiveEvent<unknown>;
    if (event.type === "data") onEvent(event.data);
    return event.type;
  });

  useEffect(() => {
    let source: EventSource | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = FIRST_RETRY_MS;

    function close() {
      clearTimeout(timer);
      source?.close();
      source = undefined;
    }

    function lose() {
      close();
      setState("lost");
      timer = setTimeout(open, pause);
      pause = Math.min(LONGEST_RETRY_MS, pause * 2);
    }

    function markAlive() {
      setState("live");
      pause = FIRST_RETRY_MS;
      clearTimeout(timer);
      timer = setTimeout(lose, SILENCE_MS);
    }

    function open() {
      close();
      if (document.visibilityState === "hidden") return;
      source = new EventSource(address());
      timer = setTimeout(lose, SILENCE_MS);
      source.addEventListener("open", markAlive);
      source.addEventListener("message", ({ data }: MessageEvent<string>) => {
        markAlive();
        try {
          // The server ends the stream to check the session again. This is not a loss.
          if (receive(data) === "end") open();
        } catch {
          lose();
        }
      });
      source.addEventListener("error", lose);
    }

    const follow = () => (document.visibilityState === "hidden" ? close() : open());
    reopen.current = open;
    open();
    document.addEventListener("visibilitychange", follow);
    window.addEventListener("online", open);
    window.addEventListener("offline", lose);
    return () => {
      close();
      document.removeEventListener("visibilitychange", follow);
      window.removeEventListener("online", open);
      window.removeEventListener("offline", lose);
    };
  }, []);

  return [state, () => reopen.current()];
}

/**
 * Scrolls the left menu with a custom thumb, because no browser lets a page limit the length of its thumb.
 */
import { type PointerEvent, type ReactNode, useCallback, useEffect, useRef, useState } from "react";
import { scrollOfDrag, type ScrollState, thumbOf } from "./menu-thumb.ts";
import classes from "./menu-scroll.module.css";

/** A section has finished opening or closing after this time. */
const UPDATE_DELAY_MS = 300;

const nothing: ScrollState = { shown: 0, whole: 0, at: 0 };

export function MenuScroll({ children }: { children: ReactNode }) {
  const view = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [scrolled, setScrolled] = useState(nothing);
  const drag = useRef<{ y: number; top: number } | null>(null);
  const measure = useCallback(() => {
    const { clientHeight: shown = 0, scrollHeight: whole = 0, scrollTop: at = 0 } = view.current ?? {};
    setScrolled({ shown, whole, at });
  }, []);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = new ResizeObserver(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        measure();
      }, UPDATE_DELAY_MS);
    });
    if (view.current) watch.observe(view.current);
    if (content.current) watch.observe(content.current);
    return () => {
      watch.disconnect();
      clearTimeout(timer);
    };
  }, [measure]);

  const grab = (event: PointerEvent) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { y: event.clientY, top: view.current?.scrollTop ?? 0 };
  };
  const pull = (event: PointerEvent) => {
    if (drag.current && view.current)
      view.current.scrollTop = drag.current.top + scrollOfDrag(event.clientY - drag.current.y, scrolled);
  };
  const release = () => {
    drag.current = null;
  };

  const thumb = thumbOf(scrolled);
  return (
    <div className={classes.frame}>
      <div ref={view} className={classes.view} onScroll={measure}>
        <div ref={content}>{children}</div>
      </div>
      {thumb ? (
        <div
          className={classes.thumb}
          style={{ height: thumb.length, transform: `translateY(${thumb.offset}px)` }}
          data-menu-thumb
          aria-hidden
          onPointerDown={grab}
          onPointerMove={pull}
          onPointerUp={release}
          onPointerCancel={release}
        />
      ) : null}
    </div>
  );
}

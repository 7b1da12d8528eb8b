/** Changes that can be undone: in a toast for 20 seconds, and afterwards on the page of the object. */
import { Button, Group, Text } from "@mantine/core";
import i18next from "i18next";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { RelativeTime } from "./relative-time.tsx";
import { reportError, toast } from "./toast.tsx";

type Change = { message: string; seconds: number; undo: () => Promise<unknown> };

/** Older ones are no longer offered. */
const MOST = 50;

/** The last change of each object, in this window. */
const changes = new Map<string, Change>();
const listeners = new Set<() => void>();

function setChange(object: string, change: Change | undefined): void {
  changes.delete(object);
  if (change) changes.set(object, change);
  const [oldest] = changes.keys();
  if (changes.size > MOST && oldest !== undefined) changes.delete(oldest);
  for (const listener of listeners) listener();
}

async function undoChange(object: string): Promise<void> {
  const change = changes.get(object);
  toast.close(object);
  setChange(object, undefined);
  try {
    await change?.undo();
  } catch (error) {
    setChange(object, change);
    reportError(error, i18next.t("The change was not undone"));
  }
}

/**
 * Reports a change that has happened, with a button that undoes it.
 * @param object kind and id, such as "channel:12"; a later change of the same object replaces this one
 */
export function offerUndo(object: string, message: string, undo: () => Promise<unknown>): void {
  setChange(object, { message, seconds: Math.floor(Date.now() / 1000), undo });
  toast.offer(
    object,
    <Group gap="sm">
      {message}
      <Button size="compact-xs" variant="light" onClick={() => void undoChange(object)}>
        {i18next.t("Undo")}
      </Button>
    </Group>,
  );
}

/** What undoes a change of several objects for one of them. `object` as in `offerUndo`. */
export type UndoPart = { object: string; undo: () => Promise<unknown> };

/**
 * Reports a change of several objects. The toast undoes it for all of them, and the page of each object for this one.
 * @param name of the toast; a later one with this name replaces it
 * @param refresh loads what is displayed again, after an undo
 */
export function offerUndoOfAll(
  name: string,
  texts: { all: string; one: string },
  parts: readonly UndoPart[],
  refresh: () => Promise<unknown>,
): void {
  const seconds = Math.floor(Date.now() / 1000);
  const changed = parts.map(({ object, undo }) => {
    const change = { message: texts.one, seconds, undo: () => undo().then(refresh) };
    setChange(object, change);
    return { object, undo, change };
  });
  offerUndo(name, texts.all, async () => {
    for (const { object, undo, change } of changed) {
      await undo();
      if (changes.get(object) === change) setChange(object, undefined);
    }
    await refresh();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The last change of the object, on its page. Nothing when there is none. */
export function LastChange({ object }: { object: string }) {
  const { t } = useTranslation();
  const change = useSyncExternalStore(subscribe, () => changes.get(object));
  if (!change) return null;
  return (
    <Group gap="sm" role="status">
      <Text fz="sm">
        {change.message} · <RelativeTime seconds={change.seconds} />
      </Text>
      <Button size="compact-xs" variant="light" onClick={() => void undoChange(object)}>
        {t("Undo")}
      </Button>
    </Group>
  );
}

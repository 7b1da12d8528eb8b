/** The search (⌘K) and the list of shortcuts (`?`): both come, with their texts, when they are first opened. */
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy, useEffect } from "react";
import { loadMessagesOf } from "#lib/i18n.ts";
import { LatePart } from "#ui/late-part.tsx";

/** They offer what is on any screen, and so need the texts of all. */
const withMessages = async <T,>(module: Promise<T>): Promise<T> =>
  (await Promise.all([module, loadMessagesOf("screens")]))[0];

const CommandPalette = lazy(() =>
  withMessages(import("./command-palette.tsx")).then((module) => ({ default: module.CommandPalette })),
);
const ShortcutList = lazy(() =>
  withMessages(import("./shortcut-list.tsx")).then((module) => ({ default: module.ShortcutList })),
);

/**
 * Also handles the keys that work on every screen: ⌘K, `?`, and `/`, which goes to the search of the list.
 * @param requests how often the search was requested; each time it opens
 * @param onSearch ⌘K was pressed
 */
export function LateDialogs({ requests, onSearch }: { requests: number; onSearch: () => void }) {
  const [listed, { open, close }] = useDisclosure();
  // From within a search box, too.
  useHotkeys([["mod+K", onSearch]], []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      if (event.key === "?") open();
      else if (event.key === "/") document.querySelector<HTMLElement>("main input[type=search]")?.focus();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [open]);
  return (
    <>
      <LatePart>{requests > 0 ? <CommandPalette requests={requests} /> : null}</LatePart>
      <LatePart>{listed ? <ShortcutList onClose={close} /> : null}</LatePart>
    </>
  );
}

/** Whether the key belongs to a field or to a dialog, and not to the page. */
function isTaken({
  target,
  ctrlKey,
  metaKey,
  altKey,
  defaultPrevented,
  isComposing,
}: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || isComposing) return true;
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null;
}

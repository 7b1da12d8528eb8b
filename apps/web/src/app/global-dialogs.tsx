/** The command palette (⌘K) and the list of shortcuts (`?`). Their code is loaded on first use. */
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy, useEffect } from "react";
import { LazyBoundary } from "#ui/lazy-part.tsx";

const CommandPalette = lazy(() =>
  import("./palette/command-palette.tsx").then((module) => ({ default: module.CommandPalette })),
);
const ShortcutList = lazy(() =>
  import("./frame/shortcut-list.tsx").then((module) => ({ default: module.ShortcutList })),
);

/**
 * Also handles the keys that work on every screen: ⌘K, `?`, and `/`, which focuses the search of a list.
 * @param requests number of times the palette was requested; each increase opens it
 * @param onSearch called when ⌘K is pressed
 */
export function GlobalDialogs({ requests, onSearch }: { requests: number; onSearch: () => void }) {
  const [listed, { open, close }] = useDisclosure();
  // Works inside a search box too.
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
      <LazyBoundary>{requests > 0 ? <CommandPalette requests={requests} /> : null}</LazyBoundary>
      <LazyBoundary>{listed ? <ShortcutList onClose={close} /> : null}</LazyBoundary>
    </>
  );
}

/** Returns whether the key belongs to a field or a dialog instead of the page. */
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

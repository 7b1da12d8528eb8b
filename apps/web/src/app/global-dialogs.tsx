/** The command palette (⌘K) and the list of shortcuts (`?`). Their code is loaded on first use. */
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { lazy } from "react";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { usePageKeys } from "./keyboard/use-page-keys.ts";

const CommandPalette = lazy(() =>
  import("./palette/command-palette.tsx").then((module) => ({ default: module.CommandPalette })),
);
const ShortcutList = lazy(() =>
  import("./frame/shortcut-list.tsx").then((module) => ({ default: module.ShortcutList })),
);

/**
 * Also handles the keys that work on every screen: ⌘K, and those of `usePageKeys`.
 * @param requests number of times the palette was requested; each increase opens it
 * @param onSearch called when ⌘K is pressed
 */
export function GlobalDialogs({ requests, onSearch }: { requests: number; onSearch: () => void }) {
  const [listed, { open, close }] = useDisclosure();
  // Works inside a search box too.
  useHotkeys([["mod+K", onSearch]], []);
  usePageKeys(open);
  return (
    <>
      <LazyBoundary>{requests > 0 ? <CommandPalette requests={requests} /> : null}</LazyBoundary>
      <LazyBoundary>{listed ? <ShortcutList onClose={close} /> : null}</LazyBoundary>
    </>
  );
}

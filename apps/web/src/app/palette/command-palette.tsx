import { can } from "@gateway/shared/accounts/roles";
import "@mantine/spotlight/styles.css";
import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightFilterFunction,
} from "@mantine/spotlight";
import { IconClockHour4, IconHome, IconInfoCircle, IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { mayOpen, screens } from "#app/screens.ts";
import { useSelf } from "#lib/session.ts";
import { usePaletteActions } from "./palette-actions.tsx";
import { isSearchable } from "./pasted-text.ts";
import { recentOf, remember } from "./recent.ts";
import { usePastedResults } from "./use-pasted-results.tsx";
import { useSearchResults } from "./use-search-results.tsx";

/**
 * The command palette (⌘K). Lists the screens and actions that the user may open. From two letters on it also
 * searches settings, models, channels, users, tokens and Help by name, and recognises a pasted provider key, curl
 * command, request id or error message. Before that it shows the recently opened entries.
 * @param requests number of times it was requested; each increase opens it
 */
export function CommandPalette({ requests }: { requests: number }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const self = useSelf();
  const [typed, setTyped] = useState("");
  /** The request at which the user went to a screen, instead of closing the palette. */
  const [chosenRequest, setLeft] = useState(0);
  const isLeaving = chosenRequest === requests;
  // Mounted closed and opened by the effect, so that it knows where to return the focus.
  useEffect(() => {
    if (requests > 0) spotlight.open();
  }, [requests]);
  const go = (to: string, label: string) => {
    if (self) remember(self.id, { to, label });
    void navigate(to);
    setLeft(requests);
  };
  const pasted = usePastedResults(typed, go);
  // A search is a request, and its text is in the address of the request.
  const results = useSearchResults(isSearchable(typed) ? typed : "", go);
  const commands = usePaletteActions(go);
  const pages: SpotlightActionData[] = screens
    .filter((screen) => self && mayOpen(screen, self))
    .map((screen) => ({
      id: screen.id,
      label: t(screen.title),
      // The English name works as a keyword in every language.
      keywords: [screen.title, screen.id, screen.keywords ?? ""],
      leftSection: <screen.icon size={18} stroke={1.7} />,
      onClick: () => go(`/panel/${screen.id}`, t(screen.title)),
    }));
  pages.push(
    {
      id: "home",
      label: t("Home"),
      keywords: ["home"],
      leftSection: <IconHome size={18} stroke={1.7} />,
      onClick: () => void navigate("/"),
    },
    {
      id: "about",
      label: t("About"),
      keywords: ["about"],
      leftSection: <IconInfoCircle size={18} stroke={1.7} />,
      onClick: () => void navigate("/about"),
    },
  );
  const recent =
    typed.trim() === "" && self
      ? recentOf(self.id).map(({ to, label }) => ({
          id: `recent ${to}`,
          label,
          leftSection: <IconClockHour4 size={18} stroke={1.7} />,
          onClick: () => go(to, label),
        }))
      : [];
  const groups = [
    { group: t("Recent"), actions: recent },
    ...pasted,
    { group: t("Screens"), actions: pages },
    { group: t("Actions"), actions: commands },
    ...results,
  ].filter((each) => each.actions.length > 0);
  return (
    <Spotlight
      shortcut={null}
      actions={groups}
      filter={screensFirst}
      onQueryChange={setTyped}
      returnFocus={!isLeaving}
      onExitTransitionEnd={isLeaving ? focusMain : undefined}
      radius="lg"
      attributes={{ content: { "aria-label": t("Go to…") } }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      nothingFound={t("No results")}
      scrollAreaProps={{ mah: 420 }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder:
          self && can(self.role, "administer")
            ? t("Search screens, actions, settings, models, users and request IDs")
            : t("Search screens, actions, models and request IDs"),
        "aria-label": t("Go to…"),
        onKeyDown: chooseFirst,
      }}
    />
  );
}

/**
 * Moves the focus to the new screen, so that Tab continues there instead of in the header. A form or dialog that the
 * address opens keeps the focus.
 */
function focusMain() {
  const { activeElement } = document;
  const isInPalette = activeElement?.closest(".mantine-Spotlight-root");
  const isElsewhere = activeElement?.closest("main, [role=dialog], [role=menu], [role=listbox]");
  if (isInPalette || !isElsewhere)
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
}

/** Results from the server arrive too late to be preselected. Enter therefore opens the first of them. */
function chooseFirst(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  const palette = event.currentTarget.closest("[role=dialog]");
  if (!palette?.querySelector("[data-selected]"))
    palette?.querySelector<HTMLElement>("[data-action]")?.click();
}

/**
 * Sorts screens and actions by matches in the label, then in other keywords. Results of `useSearchResults` come last
 * and are not filtered again, so late results never move the first line.
 */
const screensFirst: SpotlightFilterFunction = (query, entries) => {
  const typed = query.trim().toLowerCase();
  const ranked = entries.flatMap((entry) => ("actions" in entry ? [entry] : []));
  if (typed === "") return ranked;
  const rank = ({ label, keywords }: SpotlightActionData) => {
    if (label?.toLowerCase().includes(typed)) return 0;
    const words = [keywords ?? []].flat().join(" ").toLowerCase();
    return typed.split(/\s+/).every((part) => words.includes(part)) ? 1 : null;
  };
  const bestEntries = ranked.map((entry) => ({
    ...entry,
    actions: entry.actions.some((action) => action.keywords !== undefined)
      ? [0, 1].flatMap((place) => entry.actions.filter((action) => rank(action) === place))
      : entry.actions,
  }));
  // A group with a match in a label comes before a group with a match in keywords only.
  const best = (actions: SpotlightActionData[]) => Math.min(2, ...actions.map((action) => rank(action) ?? 2));
  return bestEntries
    .filter((entry) => entry.actions.length > 0)
    .map((entry, place) => ({ entry, order: best(entry.actions) * 100 + place }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ entry }) => entry);
};

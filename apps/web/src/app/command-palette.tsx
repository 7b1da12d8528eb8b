import "@mantine/spotlight/styles.css";
import { Spotlight, type SpotlightActionData, type SpotlightFilterFunction } from "@mantine/spotlight";
import { IconHome, IconInfoCircle, IconSearch } from "@tabler/icons-react";
import { type KeyboardEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useSelf } from "#lib/session.ts";
import { mayOpen, screens } from "./screens.ts";
import { useFound } from "./use-found.tsx";

/** ⌘K: every screen the person may see, and from two letters on channels, users and tokens by name. */
export function CommandPalette() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const self = useSelf();
  const [typed, setTyped] = useState("");
  const found = useFound(typed);
  const actions: SpotlightActionData[] = screens
    .filter((screen) => self && mayOpen(screen, self))
    .map((screen) => ({
      id: screen.id,
      label: t(screen.title),
      // The English name works in every language.
      keywords: [screen.title, screen.id, screen.keywords ?? ""],
      leftSection: <screen.icon size={18} stroke={1.7} />,
      onClick: () => void navigate(`/panel/${screen.id}`),
    }));
  actions.push(
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
  return (
    <Spotlight
      shortcut="mod + K"
      actions={[...actions, ...found]}
      filter={screensFirst}
      onQueryChange={setTyped}
      // From within a search box, too.
      tagsToIgnore={[]}
      radius="lg"
      overlayProps={{ blur: 0, backgroundOpacity: 0.35 }}
      nothingFound={t("Nothing found")}
      scrollAreaProps={{ mah: 420 }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t("Go to a screen, channel, user or token"),
        "aria-label": t("Go to…"),
        onKeyDown: chooseFirst,
      }}
    />
  );
}

/** What the server found comes too late to be selected by itself; Enter takes its first line all the same. */
function chooseFirst(event: KeyboardEvent<HTMLInputElement>) {
  if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
  const palette = event.currentTarget.closest("[role=dialog]");
  if (!palette?.querySelector("[data-selected]"))
    palette?.querySelector<HTMLElement>("[data-action]")?.click();
}

/** Screens by title, then by other words, then what the server found: late answers never move the first line. */
const screensFirst: SpotlightFilterFunction = (query, entries) => {
  const typed = query.trim().toLowerCase();
  const rank = (entry: (typeof entries)[number]) => {
    if ("actions" in entry) return 2;
    if (entry.label?.toLowerCase().includes(typed)) return 0;
    return [entry.keywords ?? []].flat().join(" ").toLowerCase().includes(typed) ? 1 : null;
  };
  return [0, 1, 2].flatMap((place) => entries.filter((entry) => rank(entry) === place));
};

/** Links to the sections of the current tab, on wide screens. */
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import type { SettingSection } from "./sections/section.ts";
import classes from "./settings.module.css";

/** Fewer sections fit a screen. */
const fewest = 3;

type Indexed = Pick<SettingSection, "id" | "title">;

export function anchorOf(section: Indexed): string {
  return `section-${section.id}`;
}

export function SectionIndex({ sections }: { sections: readonly Indexed[] }) {
  const { t } = useTranslation("settings");
  // Keeps the column, so that the sections stay in place when the tab changes.
  if (sections.length < fewest) return <div className={classes.index} />;
  const show = (event: MouseEvent, section: Indexed) => {
    // The address is the screen's: a fragment would be a new entry of the history.
    event.preventDefault();
    const target = document.getElementById(anchorOf(section));
    target?.scrollIntoView({ block: "start" });
    target?.querySelector<HTMLElement>("input, textarea, button")?.focus({ preventScroll: true });
  };
  return (
    <nav aria-label={t("Sections")} className={classes.index}>
      <ul>
        {sections.map((section) => (
          <li key={section.id}>
            <a href={`#${anchorOf(section)}`} onClick={(event) => show(event, section)}>
              {t(section.title)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

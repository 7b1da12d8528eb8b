/** Links to the pages of the current tab, or to those that the search found. On narrow screens a select. */
import { Select } from "@mantine/core";
import type { MouseEvent } from "react";
import { useTranslation } from "react-i18next";
import type { SettingSection } from "./sections/section.ts";
import classes from "./settings.module.css";

type Indexed = Pick<SettingSection, "id" | "title">;

export function anchorOf(section: Indexed): string {
  return `section-${section.id}`;
}

type SectionIndexProps = {
  sections: readonly Indexed[];
  /** Id of the open page; undefined while the search shows several. */
  current: string | undefined;
  isDirty: (section: Indexed) => boolean;
  onChoose: (id: string) => void;
};

export function SectionIndex({ sections, current, isDirty, onChoose }: SectionIndexProps) {
  const { t } = useTranslation("settings");
  const choose = (event: MouseEvent, id: string) => {
    // Another window opens the address.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    onChoose(id);
  };
  return (
    <>
      <nav aria-label={t("Sections")} className={classes.index}>
        <ul>
          {sections.map((section) => (
            <li key={section.id}>
              <a
                href={`?section=${section.id}`}
                aria-current={section.id === current ? "page" : undefined}
                onClick={(event) => choose(event, section.id)}
              >
                {t(section.title)}
                {isDirty(section) ? (
                  <span className={classes.dot} role="img" aria-label={t("Not saved")} />
                ) : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {current === undefined ? null : (
        <Select
          hiddenFrom="lg"
          aria-label={t("Sections")}
          data={sections.map(({ id, title }) => ({ value: id, label: t(title) }))}
          value={current}
          onChange={(id) => id && onChoose(id)}
          allowDeselect={false}
        />
      )}
    </>
  );
}

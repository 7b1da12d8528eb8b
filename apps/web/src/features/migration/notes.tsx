/** Notes of a report: how often, what, and the first examples. */
import type { ImportNote } from "@gateway/shared/site/migration";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { exampleText, noteText } from "./note-texts.ts";
import classes from "./report.module.css";

export function Notes({ notes }: { notes: readonly ImportNote[] }) {
  const { t } = useTranslation("migration");
  return (
    <ul className={classes.notes}>
      {notes.map((note) => (
        <li key={JSON.stringify([note.code, note.params, note.reason_facts])}>
          <Text fz="sm">
            <Text span fw={600} fz="inherit" className="tabular">
              {note.count} ×
            </Text>{" "}
            {noteText(t, note)}
          </Text>
          <Examples of={note.examples} />
        </li>
      ))}
    </ul>
  );
}

export function Examples({ of: examples }: { of: readonly string[] }) {
  const { t } = useTranslation("migration");
  if (examples.length === 0) return null;
  return (
    <div className={classes.examples}>{examples.map((example) => exampleText(t, example)).join(" · ")}</div>
  );
}

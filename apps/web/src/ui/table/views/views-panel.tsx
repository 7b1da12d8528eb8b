/** The saved views of a list: apply, rename, delete, copy the link, and save the current filters. */
import { ActionIcon, Button, Group, Stack, Text, TextInput, UnstyledButton } from "@mantine/core";
import { IconPencil, IconTrash } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router-dom";
import { CopyButton } from "#ui/copy.tsx";
import type { ChosenColumns } from "./linked-columns.ts";
import { linkedQuery, LONGEST_NAME, MOST_VIEWS, type SavedView, withName, withView } from "./saved-views.ts";
import classes from "./views-menu.module.css";

type ViewsPanelProps = {
  views: readonly SavedView[];
  /** The view that the list shows. */
  current: SavedView | undefined;
  /** The filters and the order of the list, as `viewOf` returns them. */
  search: string;
  columns: ChosenColumns;
  onChange: (views: SavedView[]) => void;
  onColumns: ((columns: ChosenColumns) => void) | undefined;
  onClose: () => void;
};

export function ViewsPanel(props: ViewsPanelProps) {
  const { views, current, search, columns, onChange, onColumns, onClose } = props;
  const { t } = useTranslation();
  const [, setSearch] = useSearchParams();
  const [renamed, setRenamed] = useState<SavedView>();
  const apply = (view: SavedView) => {
    setSearch(new URLSearchParams(view.search));
    if (view.columns) onColumns?.(view.columns);
    onClose();
  };
  return (
    <Stack gap="xs">
      {views.length === 0 ? (
        <Text fz="sm" c="dimmed">
          {t("Save filters, order and columns that you use often. They are stored in this browser.")}
        </Text>
      ) : (
        <ul className={classes.views} aria-label={t("Saved views")}>
          {views.map((view) =>
            view === renamed ? (
              <li key={view.name}>
                <NameForm
                  label={t("New name of the view {{name}}", { name: view.name })}
                  initial={view.name}
                  taken={views.filter((each) => each !== view)}
                  onSave={(name) => {
                    onChange(withName(views, view, name));
                    setRenamed(undefined);
                  }}
                  onCancel={() => setRenamed(undefined)}
                />
              </li>
            ) : (
              <li key={view.name}>
                <UnstyledButton
                  className={classes.view}
                  aria-current={view === current || undefined}
                  onClick={() => apply(view)}
                >
                  {view.name}
                </UnstyledButton>
                <CopyButton
                  text={linkOf(view, onColumns !== undefined)}
                  label={t("Link to {{name}}", { name: view.name })}
                />
                <ActionIcon
                  size={28}
                  aria-label={t("Rename the view {{name}}", { name: view.name })}
                  onClick={() => setRenamed(view)}
                >
                  <IconPencil size={15} />
                </ActionIcon>
                <ActionIcon
                  size={28}
                  aria-label={t("Delete the view {{name}}", { name: view.name })}
                  onClick={() => onChange(views.filter((each) => each !== view))}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              </li>
            ),
          )}
        </ul>
      )}
      {current || renamed ? null : (
        <SaveForm
          views={views}
          onSave={(name) => {
            onChange(withView(views, { name, search, columns }));
            onClose();
          }}
        />
      )}
    </Stack>
  );
}

/** The address of the list with the filters, the order and, in a list whose columns can be selected, the columns of the view. */
function linkOf(view: SavedView, hasColumns: boolean): string {
  const query = linkedQuery(hasColumns ? view : { ...view, columns: undefined });
  return `${window.location.origin}${window.location.pathname}${query === "" ? "" : `?${query}`}`;
}

type SaveFormProps = { views: readonly SavedView[]; onSave: (name: string) => void };

function SaveForm({ views, onSave }: SaveFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const name = text.trim();
  const isFull = views.length >= MOST_VIEWS && !views.some((view) => view.name === name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name !== "" && !isFull) onSave(name);
  };
  return (
    <form onSubmit={save}>
      <Group gap="xs" wrap="nowrap" align="flex-end">
        <TextInput
          label={t("Save the current view as")}
          value={text}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          flex={1}
          data-autofocus
          error={
            isFull ? t("You can save up to {{count}} views. Delete one first.", { count: MOST_VIEWS }) : null
          }
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button type="submit" disabled={name === "" || isFull}>
          {t("Save")}
        </Button>
      </Group>
    </form>
  );
}

type NameFormProps = {
  label: string;
  initial: string;
  /** The views whose names cannot be used. */
  taken: readonly SavedView[];
  onSave: (name: string) => void;
  onCancel: () => void;
};

function NameForm({ label, initial, taken, onSave, onCancel }: NameFormProps) {
  const { t } = useTranslation();
  const [text, setText] = useState(initial);
  const name = text.trim();
  const isTaken = taken.some((view) => view.name === name);
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name !== "" && !isTaken) onSave(name);
  };
  return (
    <form onSubmit={save} className={classes.rename}>
      <Group gap="xs" wrap="nowrap" align="flex-start">
        <TextInput
          aria-label={label}
          size="xs"
          value={text}
          maxLength={LONGEST_NAME}
          autoComplete="off"
          autoFocus
          flex={1}
          error={isTaken ? t("Another view has this name.") : null}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            // Closes the form only, not the list of views.
            event.stopPropagation();
            onCancel();
          }}
        />
        <Button type="submit" size="xs" disabled={name === "" || isTaken}>
          {t("Rename")}
        </Button>
      </Group>
    </form>
  );
}

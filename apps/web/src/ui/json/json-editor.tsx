/**
 * CodeMirror for JSON. Tab leaves the field, as it leaves every field; Ctrl+Space opens the completions.
 * Colours and sizes are in the stylesheet.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionStatus,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { linter } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import { EditorView, type ViewUpdate, keymap, lineNumbers, placeholder as hint } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { ActionIcon, Input, Tooltip } from "@mantine/core";
import { IconAlignLeft } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { type CSSProperties, type RefObject, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { completeNames, jsonErrorOf } from "./json-language.ts";
import classes from "./json-field.module.css";

type JsonEditorProps = {
  /** Of the element with the text: its id, name and state. */
  attributes: Record<string, string>;
  invalid: boolean;
  /** Whether the text area that it replaces has the focus. */
  hasFocus: RefObject<boolean>;
  readOnly: boolean;
  minRows: number;
  maxRows: number;
  placeholder: string;
  completions: readonly string[];
  value: string;
  onChange: (text: string) => void;
  /** Called with the line at which the JSON becomes invalid, or null. */
  onErrorLine: (line: number | null) => void;
};

/** Marks a change that did not come from the user. */
const fromOutside = Annotation.define<boolean>();

/** Ctrl+Enter saves the form. */
const keys = [...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap].filter(
  ({ key }) => key !== "Mod-Enter",
);

function languageExtensions(t: TFunction, names: () => readonly string[]): Extension[] {
  return [
    json(),
    syntaxHighlighting(classHighlighter),
    lineNumbers(),
    codeFolding(),
    foldGutter(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ override: [completeNames(names)], icons: false }),
    linter(
      ({ state }) => {
        const range = jsonErrorOf(state);
        return range ? [{ ...range, severity: "error", message: t("The JSON is invalid from here.") }] : [];
      },
      { delay: 150 },
    ),
    keymap.of(keys),
    EditorView.lineWrapping,
    EditorState.tabSize.of(2),
    EditorState.phrases.of({
      Completions: t("Completions"),
      "Fold line": t("Fold line"),
      "Unfold line": t("Unfold line"),
      "folded code": t("folded code"),
      unfold: t("unfold"),
    }),
  ];
}

function lineOfError(state: EditorState): number | null {
  const range = jsonErrorOf(state);
  return range && state.doc.lineAt(range.from).number;
}

/** Returns the attributes of the text. An open list of completions keeps Escape for itself. */
function attributesOf(attributes: Record<string, string>): Extension {
  return EditorView.contentAttributes.of(({ state }) => ({
    ...attributes,
    ...(completionStatus(state) === "active" ? { "data-mantine-stop-propagation": "true" } : {}),
  }));
}

export function JsonEditor(props: JsonEditorProps) {
  const { attributes, invalid, readOnly, minRows, maxRows, placeholder, completions, value } = props;
  const { t } = useTranslation();
  const parent = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView | null>(null);
  const [changing] = useState(() => new Compartment());
  const names = useRef(completions);
  const reportUpdate = useEffectEvent((update: ViewUpdate) => {
    if (!update.docChanged) return;
    props.onErrorLine(lineOfError(update.state));
    if (!update.transactions.some((one) => one.annotation(fromOutside)))
      props.onChange(update.state.doc.toString());
  });
  const startView = useEffectEvent((element: HTMLDivElement) => {
    const created = new EditorView({
      parent: element,
      doc: value,
      extensions: [
        languageExtensions(t, () => names.current),
        hint(placeholder),
        changing.of([]),
        EditorView.updateListener.of(reportUpdate),
      ],
    });
    props.onErrorLine(lineOfError(created.state));
    // A text area that is removed reports no blur. If the user has gone on to another element, it keeps the focus.
    if (props.hasFocus.current && document.activeElement === document.body) created.focus();
    return created;
  });

  useEffect(() => {
    if (parent.current === null) return undefined;
    const created = startView(parent.current);
    setView(created);
    return () => created.destroy();
  }, []);

  useEffect(() => {
    names.current = completions;
  }, [completions]);

  const attributeText = JSON.stringify(attributes);
  useEffect(() => {
    view?.dispatch({
      effects: changing.reconfigure([
        attributesOf(JSON.parse(attributeText) as Record<string, string>),
        EditorState.readOnly.of(readOnly),
        EditorView.editable.of(!readOnly),
      ]),
    });
  }, [view, changing, attributeText, readOnly]);

  useEffect(() => {
    if (view === null || view.state.doc.toString() === value) return;
    view.dispatch({
      changes: { from: 0, to: view.state.doc.length, insert: value },
      annotations: fromOutside.of(true),
    });
  }, [view, value]);

  const format = () => {
    if (view === null || jsonErrorOf(view.state) !== null || value.trim() === "") return;
    const insert = JSON.stringify(JSON.parse(value), null, 2);
    if (insert !== value) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } });
  };
  const rows = { "--least-rows": minRows, "--most-rows": maxRows } as CSSProperties;
  return (
    <div className={classes.box} style={rows}>
      <Input component="div" multiline error={invalid} classNames={{ input: classes.editor ?? "" }}>
        <div ref={parent} />
      </Input>
      {readOnly ? null : (
        <Tooltip label={t("Format")}>
          <ActionIcon
            className={classes.format ?? ""}
            size={24}
            aria-label={t("Format")}
            disabled={invalid || value.trim() === ""}
            onClick={format}
          >
            <IconAlignLeft size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}

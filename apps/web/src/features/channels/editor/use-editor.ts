import { useCallback } from "react";
import { useSearchParams } from "react-router-dom";

/** What the editor is open for, kept in the address so that other screens can link to it. */
export type EditorTarget = { kind: "new" } | { kind: "edit"; id: number };

function parse(text: string | null): EditorTarget | null {
  if (text === "new") return { kind: "new" };
  return /^\d{1,9}$/.test(text ?? "") ? { kind: "edit", id: Number(text) } : null;
}

function print(target: EditorTarget): string {
  switch (target.kind) {
    case "new":
      return "new";
    case "edit":
      return String(target.id);
  }
}

/** `?edit=new`, `?edit=7`; opening and closing leaves filters and page alone. */
export function useEditor(): [EditorTarget | null, (target: EditorTarget | null) => void] {
  const [search, setSearch] = useSearchParams();
  const open = useCallback(
    (target: EditorTarget | null) => {
      const next = new URLSearchParams(window.location.search);
      if (target === null) next.delete("edit");
      else next.set("edit", print(target));
      setSearch(next, { replace: true });
    },
    [setSearch],
  );
  return [parse(search.get("edit")), open];
}

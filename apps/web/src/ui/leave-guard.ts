/** Asks before what was typed is lost: on the way to another page of ours, and to anywhere else. */
import i18next from "i18next";
import { useEffect } from "react";
import { guardLeaving } from "#lib/history.ts";
import { confirm } from "./confirm.tsx";

export function confirmLeaving(): Promise<boolean> {
  return confirm({
    title: i18next.t("Leave without saving?"),
    body: i18next.t("Your changes will be lost."),
    action: i18next.t("Discard changes"),
  });
}

export function useLeaveGuard(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", stay);
    const release = guardLeaving(confirmLeaving);
    return () => {
      window.removeEventListener("beforeunload", stay);
      release();
    };
  }, [dirty]);
}

/** Asks before unsaved changes are lost: on navigation, on leaving the site, or at the end of the session. */
import i18next from "i18next";
import { useEffect } from "react";
import { addLeaveGuard } from "#lib/address/history.ts";
import { confirm } from "#ui/confirm.tsx";

export function confirmLeaving(): Promise<boolean> {
  return confirm({
    title: i18next.t("Leave without saving?"),
    body: i18next.t("Your changes will be lost."),
    action: i18next.t("Discard changes"),
  });
}

/** Keeps the form: the user can sign in again in another tab. */
async function offerSignIn(): Promise<false> {
  const goes = await confirm({
    title: i18next.t("Sign in again"),
    body: i18next.t(
      "Your session has expired. Your input is still here. Sign in on a new tab, then save again.",
    ),
    action: i18next.t("Sign in"),
    danger: false,
  });
  if (goes) window.open(new URL("login", document.baseURI), "_blank", "noopener");
  return false;
}

export function useLeaveGuard(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", stay);
    const release = addLeaveGuard((why) => (why === "session" ? offerSignIn() : confirmLeaving()));
    return () => {
      window.removeEventListener("beforeunload", stay);
      release();
    };
  }, [dirty]);
}

/** Asks before something is destroyed. */
import { Text } from "@mantine/core";
import i18next from "i18next";
import type { ReactNode } from "react";
import { toast } from "./toast.tsx";

type Question = {
  title: string;
  /** What will happen, and what will not come back. */
  body?: ReactNode;
  /** The verb on the button: "Delete". */
  action: string;
  danger?: boolean;
};

let announce: () => void = () => {};
let isWanted = false;
let place: { ready: () => void; arrived: Promise<void> } | undefined;

/** Where questions appear: its code comes with the first of them. */
function wanted(): Promise<void> {
  isWanted = true;
  if (!place) {
    let ready = () => {};
    const arrived = new Promise<void>((resolve) => (ready = resolve));
    place = { ready, arrived };
  }
  announce();
  return place.arrived;
}

/** Calls back when the first question is on its way, at once if it was. Returns how to stop listening. */
export function whenFirstQuestion(act: () => void): () => void {
  announce = act;
  if (isWanted) act();
  return () => {
    announce = () => {};
  };
}

/** Questions can be shown from now on. */
export function questionsReady(): void {
  place?.ready();
}

/** Resolves to true when the person goes on. */
export async function confirm({ title, body, action, danger = true }: Question): Promise<boolean> {
  const [{ modals }] = await Promise.all([import("@mantine/modals"), wanted()]);
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: typeof body === "string" ? <Text>{body}</Text> : body,
      labels: { confirm: action, cancel: i18next.t("Cancel") },
      confirmProps: { color: danger ? "red" : undefined, "data-autofocus": !danger },
      cancelProps: { "data-autofocus": danger },
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}

/** Asks, deletes and says so. False when the person thought better of it, or it failed, which is said by a toast already. */
export async function confirmDeletion(
  question: Pick<Question, "title" | "body">,
  remove: () => Promise<unknown>,
): Promise<boolean> {
  if (!(await confirm({ ...question, action: i18next.t("Delete") }))) return false;
  try {
    await remove();
  } catch {
    return false;
  }
  toast.success(i18next.t("Deleted"));
  return true;
}

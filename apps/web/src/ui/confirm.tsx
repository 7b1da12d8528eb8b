/** Asks for confirmation before a destructive action. */
import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import i18next from "i18next";
import type { ReactNode } from "react";
import { toast } from "./toast.tsx";

type ConfirmOptions = {
  title: string;
  /** The effects of the action, and what cannot be undone. */
  body?: ReactNode;
  /** Label of the confirming button: "Delete". */
  action: string;
  danger?: boolean;
};

const focused = { "data-autofocus": true };

/** Resolves to true when the user confirms. */
export function confirm({ title, body, action, danger = true }: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    modals.openConfirmModal({
      title,
      children: typeof body === "string" ? <Text>{body}</Text> : body,
      labels: { confirm: action, cancel: i18next.t("Cancel") },
      ...(danger ? { confirmProps: { color: "red" }, cancelProps: focused } : { confirmProps: focused }),
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
      onClose: () => resolve(false),
    });
  });
}

/**
 * Asks, deletes and reports success. Resolves to false when the
 * user cancels or the deletion fails; a toast reports the failure.
 */
export async function confirmDeletion(
  question: Pick<ConfirmOptions, "title" | "body">,
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

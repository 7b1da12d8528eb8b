/** Asks before something is destroyed. */
import { Text } from "@mantine/core";
import { modals } from "@mantine/modals";
import i18next from "i18next";
import type { ReactNode } from "react";

type Question = {
  title: string;
  /** What will happen, and what will not come back. */
  body?: ReactNode;
  /** The verb on the button: "Delete". */
  action: string;
  danger?: boolean;
};

/** Resolves to true when the person goes on. */
export function confirm({ title, body, action, danger = true }: Question): Promise<boolean> {
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

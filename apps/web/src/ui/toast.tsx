/** Short messages in the corner. Durations are constants of the product. */
import type { NotificationData, notifications as Notifications } from "@mantine/notifications";
import { IconAlertTriangle, IconCheck, IconInfoCircle, IconX } from "@tabler/icons-react";
import i18next from "i18next";
import type { ReactNode } from "react";

const kinds = {
  error: { ms: 5_000, color: "red", icon: <IconX size={16} /> },
  warning: { ms: 10_000, color: "amber", icon: <IconAlertTriangle size={16} /> },
  success: { ms: 1_500, color: "green", icon: <IconCheck size={16} /> },
  info: { ms: 3_000, color: "iris", icon: <IconInfoCircle size={16} /> },
  notice: { ms: 20_000, color: "iris", icon: <IconInfoCircle size={16} /> },
} as const;

/** Long enough to read the message and to press the button. */
export const UNDO_MS = 6_000;

/** The notification store. It is loaded with the toast component on the first message. */
let arrived: Promise<typeof Notifications> | undefined;
let announce: () => void = () => {};

/**
 * Calls back on the first message, at once if there already was one. Returns a function that unsubscribes.
 */
export function whenFirstToast(act: () => void): () => void {
  announce = act;
  if (arrived) act();
  return () => {
    announce = () => {};
  };
}

async function put(message: NotificationData, repeated: "once" | "replace" = "once"): Promise<void> {
  arrived ??= import("@mantine/notifications").then((module) => module.notifications);
  announce();
  const closeButtonProps = { "aria-label": i18next.t("Close") };
  // No message is shown when its code fails to load.
  const shown = await arrived.catch(() => undefined);
  if (!shown) return;
  if (repeated === "replace" && message.id !== undefined) shown.hide(message.id);
  shown.show({ closeButtonProps, ...message });
}

function show(kind: keyof typeof kinds, message: ReactNode): void {
  const { ms, color, icon } = kinds[kind];
  // Identical messages are shown once.
  const id = typeof message === "string" ? `${kind}:${message}` : undefined;
  void put({ id, message, color, icon, autoClose: ms });
}

export const toast = {
  error: (message: ReactNode) => show("error", message),
  warning: (message: ReactNode) => show("warning", message),
  success: (message: ReactNode) => show("success", message),
  info: (message: ReactNode) => show("info", message),
  notice: (message: ReactNode) => show("notice", message),
  /** Shows a message with an undo button. Replaces the message with the same id. */
  undo: (id: string, message: ReactNode) =>
    void put({ id, message, color: kinds.info.color, icon: kinds.info.icon, autoClose: UNDO_MS }, "replace"),
  /** Closes the message with this id. */
  close: (id: string) => void arrived?.then((shown) => shown.hide(id)).catch(() => {}),
  /** Stays until closed, for text that could not be copied. Replaces the previous one. */
  keep: (message: ReactNode) =>
    void put({ id: "keep", message, color: "amber", icon: kinds.warning.icon, autoClose: false }, "replace"),
};

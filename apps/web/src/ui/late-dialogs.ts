/** Mantine's dialogs for pages that open them after a click. Loaded while the page rests, or when they are opened. */
import type { ModalProps } from "@mantine/core";
import { late } from "./late.tsx";

export const Modal = late<ModalProps>(
  () => import("./dialogs.tsx").then((module) => module.Modal),
  ({ opened }) => opened,
);

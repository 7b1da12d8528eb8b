/** Mantine's dialogs for pages that open them after a click. Loaded while the page rests, or when they are opened. */
import type { DrawerProps, ModalProps } from "@mantine/core";
import { late } from "./late.tsx";

export const Modal = late<ModalProps>(
  () => import("./dialogs.tsx").then((module) => module.Modal),
  ({ opened }) => opened,
);

export const Drawer = late<DrawerProps>(
  () => import("./dialogs.tsx").then((module) => module.Drawer),
  ({ opened }) => opened,
);

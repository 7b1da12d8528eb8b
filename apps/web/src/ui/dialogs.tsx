import { Drawer as WholeDrawer, type DrawerProps, Modal as WholeModal, type ModalProps } from "@mantine/core";
import { useMounted } from "@mantine/hooks";

/** A dialog that is open from the start does not note which element had the focus. This one opens after it appears. */
export function Modal({ opened, ...props }: ModalProps) {
  const mounted = useMounted();
  return <WholeModal opened={opened && mounted} {...props} />;
}

/** As `Modal`. */
export function Drawer({ opened, ...props }: DrawerProps) {
  const mounted = useMounted();
  return <WholeDrawer opened={opened && mounted} {...props} />;
}

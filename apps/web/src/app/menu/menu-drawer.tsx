import { Drawer } from "@mantine/core";
import { Brand } from "#app/brand.tsx";
import { SideMenu } from "./side-menu.tsx";
import classes from "#app/frame/shell.module.css";

/** The menu of narrow windows, as a drawer. */
export function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={260}
      padding={0}
      title={<Brand />}
      classNames={{ header: classes.drawerHead, body: classes.drawerBody, content: classes.drawer }}
    >
      <SideMenu rail={false} onChoose={onClose} />
    </Drawer>
  );
}

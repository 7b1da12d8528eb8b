/** Details beside a list; on a phone they fill the window. A form has `FormDrawer`. */
import { Drawer, type DrawerProps, Title } from "@mantine/core";
import { useIsPhone } from "#ui/use-is-phone.ts";

type SideDrawerProps = Omit<DrawerProps, "opened" | "position" | "size"> & {
  /** By default it is open while it is rendered. */
  opened?: boolean;
  /** In pixels. */
  width?: number;
};

export function SideDrawer({ title, width = 560, ...props }: SideDrawerProps) {
  const phone = useIsPhone();
  return (
    <Drawer
      opened
      position="right"
      size={phone ? "100%" : width}
      title={
        <Title order={2} component="span" fz="lg">
          {title}
        </Title>
      }
      {...props}
    />
  );
}

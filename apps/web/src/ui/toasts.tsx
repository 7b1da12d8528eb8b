/** The toast container: at most three, in the corner; on phones at the bottom. */
import { Notifications } from "@mantine/notifications";
import { useIsPhone } from "./use-is-phone.ts";
import classes from "./toasts.module.css";

export function Toasts() {
  const phone = useIsPhone();
  return (
    <Notifications
      classNames={{ root: classes.toasts }}
      limit={3}
      autoClose={5_000}
      position={phone ? "bottom-center" : "top-right"}
      containerWidth={380}
      zIndex={1400}
      transitionDuration={160}
    />
  );
}

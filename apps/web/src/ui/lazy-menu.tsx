/** An icon button whose menu is loaded when it is first opened: menus are a tenth of what the sign-in page would load. */
import { ActionIcon } from "@mantine/core";
import { lazy, useState, useTransition } from "react";
import type { IconMenuProps } from "./icon-menu.tsx";
import { LazyBoundary } from "./lazy-part.tsx";

const loadMenu = () => import("./icon-menu.tsx");
const IconMenu = lazy(async () => ({ default: (await loadMenu()).IconMenu }));

export function LazyMenu(props: IconMenuProps) {
  const { label, icon } = props;
  const [wasOpened, setOpened] = useState(false);
  // The button stays in place while the menu is loaded.
  const [, startTransition] = useTransition();
  const loadAhead = () => void loadMenu().catch(() => {});
  const closed = (
    <ActionIcon
      size={36}
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={loadAhead}
      onFocus={loadAhead}
      onClick={() => startTransition(() => setOpened(true))}
    >
      {icon}
    </ActionIcon>
  );
  return <LazyBoundary fallback={closed}>{wasOpened ? <IconMenu {...props} /> : closed}</LazyBoundary>;
}

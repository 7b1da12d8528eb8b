import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Fragment, type ReactNode, useEffect, useRef, useState } from "react";
import { Link } from "react-router-dom";

export type MenuEntry = {
  label: string;
  /** Language of the label, if it differs from that of the page. */
  lang?: string;
  icon?: ReactNode;
  isCurrent?: boolean;
  /** The entries after it are below a line. */
  endsGroup?: boolean;
  /** Target page, or what the entry does. */
  action: string | (() => void);
};

export type IconMenuProps = {
  label: string;
  icon: ReactNode;
  width: number;
  entries: readonly MenuEntry[];
};

/** Opens as soon as it appears, in place of a button that was pressed. */
export function IconMenu({ label, icon, width, entries }: IconMenuProps) {
  const [opened, setOpened] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The menu returns the focus to it.
    target.current?.focus();
    setOpened(true);
  }, []);
  return (
    <Menu position="bottom-end" width={width} opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon ref={target} size={36} aria-label={label} title={label}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {entries.map((entry) => (
          <Fragment key={entry.label}>
            <Entry {...entry} />
            {entry.endsGroup ? <Menu.Divider /> : null}
          </Fragment>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function Entry({ label, lang, icon, isCurrent, action }: MenuEntry) {
  const shown = {
    lang,
    leftSection: icon,
    "aria-current": isCurrent || undefined,
    rightSection: isCurrent ? <IconCheck size={15} /> : null,
    children: label,
  } as const;
  return typeof action === "string" ? (
    <Menu.Item component={Link} to={action} {...shown} />
  ) : (
    <Menu.Item onClick={action} {...shown} />
  );
}

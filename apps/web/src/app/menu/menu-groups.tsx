/** The groups of the left menu with their items and collapses. The collapsed rail shows only icons. */
import { Badge, Collapse, Text, Tooltip, UnstyledButton } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { loadAhead } from "#app/load-ahead.ts";
import { screenById } from "#app/screens.ts";
import {
  collapseAround,
  isAddressOf,
  itemsIn,
  type MenuCollapse,
  type MenuGroup,
  type MenuItem,
} from "./menu.ts";
import classes from "./side-menu.module.css";

type Frame = { rail: boolean; onChoose?: (() => void) | undefined };
type GroupsProps = Frame & { groups: readonly MenuGroup[] };

export function MenuGroups({ groups, rail, onChoose }: GroupsProps) {
  const { isOpen, toggle } = useOpenCollapses(groups);
  return groups.map((group, place) =>
    group.type === "group" ? (
      <Group key={group.id} group={group} rail={rail}>
        {(rail ? itemsIn(group) : group.children).map((entry, index) => {
          switch (entry.type) {
            case "item":
              return <ItemLink key={entry.id} item={entry} rail={rail} onChoose={onChoose} />;
            case "collapse":
              return (
                <Section
                  key={entry.id}
                  entry={entry}
                  open={isOpen.includes(entry.id)}
                  onToggle={() => toggle(entry.id)}
                  onChoose={onChoose}
                />
              );
            default:
              return <Fault key={index} of="entry" />;
          }
        })}
      </Group>
    ) : (
      <Fault key={place} of="group" />
    ),
  );
}

/** In place of an entry of an unknown type. */
function Fault({ of }: { of: "entry" | "group" }) {
  const { t } = useTranslation();
  const text = of === "entry" ? t("Menu Items Error") : t("Menu Error");
  const fault = (
    <Text c="red" fz="sm" ta="center">
      {text}
    </Text>
  );
  return of === "entry" ? <li>{fault}</li> : fault;
}

/** The ids of the open collapses. Going to a screen opens the collapse that contains it. */
function useOpenCollapses(groups: readonly MenuGroup[]) {
  const { pathname } = useLocation();
  const around = collapseAround(groups, pathname);
  const [{ isOpen, at }, setState] = useState({ isOpen: around === undefined ? [] : [around], at: pathname });
  if (at !== pathname) {
    const isShown = around === undefined || isOpen.includes(around);
    setState({ isOpen: isShown ? isOpen : [...isOpen, around], at: pathname });
  }
  const toggle = (id: string) =>
    setState({ isOpen: isOpen.includes(id) ? isOpen.filter((one) => one !== id) : [...isOpen, id], at });
  return { isOpen, toggle };
}

function Group({ group, rail, children }: { group: MenuGroup; rail: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  const id = `menu-${group.id}`;
  return (
    <div className={classes.group}>
      {rail ? null : (
        <div className={classes.groupTitle} id={id}>
          {t(group.title)}
          <Caption text={group.caption} />
        </div>
      )}
      <ul className={classes.list} {...(rail ? { "aria-label": t(group.title) } : { "aria-labelledby": id })}>
        {children}
      </ul>
    </div>
  );
}

function Caption({ text }: { text: string | undefined }) {
  const { t } = useTranslation();
  if (text === undefined) return null;
  return (
    <Text component="span" display="block" fz={11} c="dimmed" lh={1.3} truncate>
      {t(text)}
    </Text>
  );
}

type MenuSectionProps = {
  entry: MenuCollapse;
  open: boolean;
  onToggle: () => void;
  onChoose: Frame["onChoose"];
};

function Section({ entry, open, onToggle, onChoose }: MenuSectionProps) {
  const { t } = useTranslation();
  const Picture = entry.icon;
  const id = `menu-${entry.id}`;
  return (
    <li>
      <UnstyledButton className={classes.item} aria-expanded={open} aria-controls={id} onClick={onToggle}>
        <Picture size={17} stroke={1.7} />
        <span>
          {t(entry.title)}
          <Caption text={entry.caption} />
        </span>
        <IconChevronDown size={15} className={classes.arrow} data-open={open || undefined} />
      </UnstyledButton>
      <Collapse expanded={open} transitionDuration={160} id={id}>
        <ul className={classes.nested} aria-label={t(entry.title)}>
          {entry.children.map((item) => (
            <ItemLink key={item.id} item={item} rail={false} onChoose={onChoose} />
          ))}
        </ul>
      </Collapse>
    </li>
  );
}

function ItemLink({ item, rail, onChoose }: Frame & { item: MenuItem }) {
  const { t } = useTranslation();
  const active = isAddressOf(item, useLocation().pathname);
  const client = useQueryClient();
  const title = t(item.title);
  const Picture = item.icon;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    // The menu may be higher than the window.
    if (active) link.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  const screen = screenById(item.id);
  const ahead = () => (screen === undefined ? undefined : void loadAhead(screen, client));
  const shared = {
    ref: link,
    className: classes.item ?? "",
    "aria-label": title,
    ...(item.target === undefined ? {} : { target: item.target, rel: "noopener noreferrer" }),
    onClick: onChoose,
    onPointerEnter: ahead,
    onFocus: ahead,
  };
  const content = (
    <>
      <Picture size={17} stroke={1.7} />
      {rail ? null : (
        <>
          <span>
            {title}
            <Caption text={item.caption} />
          </span>
          {item.chip === undefined ? null : (
            <Badge size="xs" variant="default">
              {t(item.chip)}
            </Badge>
          )}
        </>
      )}
    </>
  );
  const line = item.external ? (
    <a href={item.url} {...shared}>
      {content}
    </a>
  ) : (
    <Link to={item.url} aria-current={active ? "page" : undefined} {...shared}>
      {content}
    </Link>
  );
  return (
    <li>
      {rail ? (
        <Tooltip label={title} position="right">
          {line}
        </Tooltip>
      ) : (
        line
      )}
    </li>
  );
}

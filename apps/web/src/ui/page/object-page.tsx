/**
 * The page of one object: a link to its list, its name, its
 * actions, and its parts as tabs kept in the address.
 */
import { Anchor, Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { IconArrowLeft, IconFileUnknown } from "@tabler/icons-react";
import { type ReactNode, useLayoutEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useQueryChange, useQueryString } from "#lib/address/list-params.ts";
import { markShown } from "#lib/errors/shown-errors.ts";
import { usePageTitle } from "#lib/site.ts";
import { Empty, LoadError } from "#ui/empty.tsx";
import { isRefusal } from "./opened-row.tsx";
import classes from "./object-page.module.css";

export type ObjectTab = { id: string; label: string; content: () => ReactNode };

type ObjectPageProps = {
  title: string;
  /** Beside the title: the icon before it, the status after it. */
  icon?: ReactNode;
  badges?: ReactNode;
  actions?: ReactNode;
  /** The first tab is shown at an address without `tab`. */
  tabs: readonly ObjectTab[];
};

export function ObjectPage({ title, icon, badges, actions, tabs }: ObjectPageProps) {
  const [tab, setTab] = useTab(tabs);
  usePageTitle(title);
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <Group gap="sm" miw={0}>
          <h1 className={classes.title}>
            {icon}
            {title}
          </h1>
          {badges}
        </Group>
        {actions ? <Group gap="xs">{actions}</Group> : null}
      </Group>
      <Tabs value={tab} onChange={(next) => setTab(next ?? "")} keepMounted={false}>
        <Tabs.List className={classes.tabs}>
          {tabs.map(({ id, label }) => (
            <Tabs.Tab key={id} value={id}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ id, content }) => (
          <Tabs.Panel key={id} value={id} pt="md">
            {tab === id ? content() : null}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

function useTab(tabs: readonly ObjectTab[]): [string, (tab: string) => void] {
  const changeQuery = useQueryChange();
  const tabInAddress = new URLSearchParams(useQueryString()).get("tab");
  const first = tabs[0]?.id ?? "";
  const tab = tabs.find(({ id }) => id === tabInAddress)?.id ?? first;
  const setTab = (next: string) =>
    changeQuery((search) => {
      if (next === first || next === "") search.delete("tab");
      else search.set("tab", next);
    });
  return [tab, setTab];
}

export function BackLink({ to, label }: { to: string; label: string }) {
  return (
    <Anchor component={Link} to={to} fz="sm" c="dimmed" display="inline-block" mb="sm">
      <Group gap={6} component="span">
        <IconArrowLeft size={15} />
        {label}
      </Group>
    </Anchor>
  );
}

type UnloadedProps = {
  error: unknown;
  onRetry: () => void;
  /** Message for an object that does not exist or is not visible to this user. */
  missing: string;
  /** Link to the list of such objects. */
  list: { to: string; label: string };
};

/** The loading, error and not-found states of the page. */
export function UnloadedObject({ error, onRetry, missing, list }: UnloadedProps) {
  const { t } = useTranslation();
  useLayoutEffect(() => markShown(error), [error]);
  if (isRefusal(error))
    return (
      <Empty
        heading
        icon={IconFileUnknown}
        title={missing}
        hint={t("It may have been deleted, you may not have access to it, or the link is incomplete.")}
        action={
          <Button component={Link} to={list.to}>
            {list.label}
          </Button>
        }
      />
    );
  if (error) return <LoadError heading error={error} onRetry={onRetry} />;
  return (
    <Stack gap="md" aria-busy>
      <Skeleton height={40} maw={420} />
      <Skeleton height={96} radius="lg" />
      <Skeleton height={260} radius="lg" />
    </Stack>
  );
}

/** Parses an id of an address; 0 for an invalid one. */
export function idOf(text: string | undefined): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
}

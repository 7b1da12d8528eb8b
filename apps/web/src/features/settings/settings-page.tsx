/** The settings of this installation. Every change takes effect on all nodes at once. */
import { Center, Group, Loader, Stack, Tabs, Text } from "@mantine/core";
import { IconSearchOff } from "@tabler/icons-react";
import { type QueryClient, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useSearchParams } from "react-router-dom";
import { defaultSettings } from "virtual:settings-defaults";
import { useCan } from "#lib/session.ts";
import { Empty, QueryFallback } from "#ui/empty.tsx";
import { useLeaveGuard } from "#ui/form/leave-guard.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { Page } from "#ui/page/page.tsx";
import { SearchBox } from "#ui/table/filters.tsx";
import { settingsQuery } from "./api.ts";
import { afterSaving, type Drafts, withDraft, withoutDrafts } from "./drafts.ts";
import { providersSection } from "./identity/section.ts";
import { SearchedParts } from "./search-text.tsx";
import { findSections, queryParts } from "./search.ts";
import { SectionCard } from "./section-card.tsx";
import { SectionIndex } from "./section-index.tsx";
import { settingGroups } from "./sections/fields.ts";
import type { SettingGroup, SettingSection } from "./sections/section.ts";
import { showAccent } from "./show-accent.ts";
import { TransferMenu } from "./transfer-menu.tsx";
import { UnknownSection } from "./unknown-section.tsx";
import classes from "./settings.module.css";

const ProviderCard = lazyPart(async () => (await import("./identity/provider-card.tsx")).ProviderCard);

export function prefetch(client: QueryClient): Promise<void> {
  return client.prefetchQuery(settingsQuery);
}

export default function SettingsPage() {
  const { t } = useTranslation("settings");
  const [search, setSearch] = useSearchParams();
  const settings = useQuery(settingsQuery);
  const isRoot = useCan("configure");
  const [drafts, setDrafts] = useState<Drafts>({});
  const searchText = search.get("q") ?? "";
  const { group, section: page, unknown } = openPage(search, useLocation().hash, isRoot);
  const accent = settings.data?.AccentColor;
  useEffect(() => {
    if (accent !== undefined) showAccent(accent);
  }, [accent]);
  useLeaveGuard(Object.keys(drafts).length > 0);
  useFocusOn(searchText, settings.data !== undefined);

  const found = useMemo(() => (searchText === "" ? undefined : findSections(searchText, t)), [searchText, t]);
  const parts = useMemo(() => queryParts(searchText), [searchText]);
  const showsProviders = found === undefined && page === providersSection;
  const visibleSections = found ?? group.sections.filter((section) => section === page);
  const setParam = (name: string, value: string) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );

  return (
    <Page
      title={t("Settings")}
      description={t("Each section is saved separately and takes effect immediately on every node.")}
      actions={
        <Group gap="xs" wrap="nowrap" w={{ base: "100%", sm: "auto" }}>
          <SearchBox
            value={searchText}
            onChange={(value) => setParam("q", value)}
            placeholder={t("Search settings")}
            width={240}
          />
          {isRoot ? <TransferMenu /> : null}
        </Group>
      }
    >
      <Tabs
        value={searchText === "" ? group.id : null}
        onChange={(tab) => tab && setSearch({ tab }, { replace: true })}
      >
        <Tabs.List>
          {settingGroups.map((one) => (
            <Tabs.Tab key={one.id} value={one.id}>
              {t(one.title)}
              {hasDrafts(one.sections, drafts) ? (
                <span className={classes.dot} role="img" aria-label={t("Not saved")} />
              ) : null}
            </Tabs.Tab>
          ))}
        </Tabs.List>
      </Tabs>
      {unknown === undefined || searchText !== "" ? null : (
        <UnknownSection name={unknown} onRemove={() => setSearch({ tab: group.id }, { replace: true })} />
      )}
      {!settings.data ? (
        <QueryFallback query={settings}>
          <Center h={240}>
            <Loader size="sm" aria-label={t("Loading")} />
          </Center>
        </QueryFallback>
      ) : found?.length === 0 ? (
        <Empty icon={IconSearchOff} title={t("No results")} hint={t("No matching settings.")} />
      ) : (
        <div className={classes.indexed}>
          <SectionIndex
            sections={found ?? pagesOf(group, isRoot)}
            current={found ? undefined : page?.id}
            isDirty={({ id }) =>
              hasDrafts(
                group.sections.filter((section) => section.id === id),
                drafts,
              )
            }
            onChoose={(section) => setSearch({ section }, { replace: true })}
          />
          <Stack gap="md" className={classes.sections}>
            {found ? (
              <Text c="dimmed" fz="sm" role="status">
                {t("{{count}} sections found", { count: found.length })}
              </Text>
            ) : null}
            <SearchedParts value={parts}>
              {visibleSections.map((section) => (
                <SectionCard
                  key={section.id}
                  section={section}
                  settings={settings.data}
                  drafts={drafts}
                  onDraft={(key, value) => setDrafts((all) => withDraft(all, settings.data, key, value))}
                  onDiscard={(keys) => setDrafts((all) => withoutDrafts(all, keys))}
                  onSaved={(saved) => setDrafts((all) => afterSaving(all, saved))}
                />
              ))}
            </SearchedParts>
            {showsProviders ? <ProviderCard /> : null}
          </Stack>
        </div>
      )}
    </Page>
  );
}

/** Focuses the field of a setting that a link names, such as a result of the command palette. */
function useFocusOn(key: string, loaded: boolean) {
  useEffect(() => {
    if (!loaded || !Object.hasOwn(defaultSettings, key)) return;
    const field = document.querySelector<HTMLElement>(`[data-setting="${key}"] :is(input, textarea)`);
    // While the key is typed, the focus stays in the search box.
    if (!document.activeElement?.matches("[type=search]")) field?.focus();
  }, [key, loaded]);
}

function hasDrafts(sections: readonly SettingSection[], drafts: Drafts): boolean {
  return sections.some((section) => section.fields.some((field) => field.key in drafts));
}

type SettingPage = Pick<SettingSection, "id" | "title">;

function pagesOf(group: SettingGroup, isRoot: boolean): SettingPage[] {
  return isRoot && group.id === "system" ? [...group.sections, providersSection] : group.sections;
}

/**
 * Returns the page that the address names: by `section`, by the anchor that links had before there were pages, or by
 * `tab`, whose first page it is. `unknown` is the section or tab of the address that does not exist.
 */
function openPage(search: URLSearchParams, hash: string, isRoot: boolean) {
  const wanted = search.get("section") ?? /^#section-(.+)$/.exec(hash)?.[1];
  for (const group of settingGroups) {
    const section = pagesOf(group, isRoot).find(({ id }) => id === wanted);
    if (section) return { group, section, unknown: undefined };
  }
  const tab = search.get("tab") ?? undefined;
  const [first] = settingGroups;
  const group = settingGroups.find(({ id }) => id === tab);
  const unknown = wanted ?? (group === undefined ? tab : undefined);
  return { group: group ?? first, section: (group ?? first).sections[0], unknown };
}

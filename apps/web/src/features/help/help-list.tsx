/** The pages of Help by group, and the results of a search. */
import { Anchor, Text, Title } from "@mantine/core";
import { IconSearchOff } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { Link, NavLink } from "react-router-dom";
import { Empty } from "#ui/empty.tsx";
import type { HelpIndex, HelpLanguage } from "./content.ts";
import { useHelpAddress } from "./help-address.ts";
import { searchHelp } from "./search.ts";
import classes from "./help.module.css";

const tags: Record<HelpLanguage, string> = { en_US: "en", zh_CN: "zh-CN" };

/** The menu beside a page. */
export function HelpMenu({ index, onOpen }: { index: HelpIndex; onOpen: () => void }) {
  const { t } = useTranslation("help");
  const addressOf = useHelpAddress();
  return (
    <nav aria-label={t("Help pages")} className={classes.menu}>
      {index.map((group) => (
        <section key={group.title} lang={tags[group.pages[0]?.language ?? "en_US"]}>
          <Text fz="xs" fw={600} c="dimmed">
            {group.title}
          </Text>
          <ul>
            {group.pages.map((page) => (
              <li key={page.id} lang={tags[page.language]}>
                <NavLink to={addressOf(page.id)} onClick={onOpen}>
                  {page.title}
                </NavLink>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** All pages with their descriptions. */
export function HelpContents({ index }: { index: HelpIndex }) {
  const addressOf = useHelpAddress();
  return index.map((group) => (
    <section key={group.title} className={classes.group} lang={tags[group.pages[0]?.language ?? "en_US"]}>
      <Title order={2} fz="md">
        {group.title}
      </Title>
      <ul>
        {group.pages.map((page) => (
          <li key={page.id} lang={tags[page.language]}>
            <Anchor component={Link} to={addressOf(page.id)} fw={550}>
              {page.title}
            </Anchor>
            <Text c="dimmed" fz="sm" className={classes.summary}>
              {page.description}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  ));
}

/** Pages and sections that match the query. */
export function HelpHits({ index, query }: { index: HelpIndex; query: string }) {
  const { t } = useTranslation("help");
  const addressOf = useHelpAddress();
  const hits = searchHelp(index, query);
  if (hits.length === 0)
    return (
      <Empty
        icon={IconSearchOff}
        title={t("No results")}
        hint={t("Try the name of a setting, a screen or an error code.")}
      />
    );
  return (
    <ul className={classes.hits}>
      {hits.map((hit) => (
        <li key={`${hit.page}#${hit.anchor}`} lang={tags[hit.language]}>
          <Anchor component={Link} to={addressOf(hit.page, hit.anchor)} fw={550}>
            {hit.title}
          </Anchor>
          <Text c="dimmed" fz="sm">
            {hit.note}
          </Text>
        </li>
      ))}
    </ul>
  );
}

/** One page of Help. An unknown section of it leads to the nearest section or page. */
import { Alert, Anchor, Center, Loader, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation } from "react-router-dom";
import { currentLanguage } from "#lib/i18n.ts";
import { usePageTitle } from "#lib/site.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { LoadError } from "#ui/empty.tsx";
import { helpLanguageOf, helpPageQuery } from "./api.ts";
import type { HelpEntry, HelpLanguage } from "./content.ts";
import { useHelpAddress } from "./help-address.ts";
import { HelpBlocks } from "./help-blocks.tsx";
import { nearestSection } from "./search.ts";
import classes from "./help.module.css";

const tags: Record<HelpLanguage, string> = { en_US: "en", zh_CN: "zh-CN" };

type HelpArticleProps = {
  entry: HelpEntry;
  /** All pages of Help in order. */
  pages: HelpEntry[];
};

export function HelpArticle({ entry, pages }: HelpArticleProps) {
  const { t } = useTranslation("help");
  const [inEnglish, setInEnglish] = useState(false);
  const language = inEnglish ? "en_US" : entry.language;
  const page = useQuery(helpPageQuery(entry.id, language));
  const addressOf = useHelpAddress();
  const anchor = useAnchor(page.data !== undefined);
  usePageTitle(entry.title);
  if (page.error) return <LoadError error={page.error} onRetry={() => void page.refetch()} heading />;
  if (!page.data)
    return (
      <Center h={240}>
        <Loader size="sm" aria-label={t("Loading")} />
      </Center>
    );
  const isKnown = anchor === "" || entry.sections.some((section) => section.id === anchor);
  const similar = isKnown ? undefined : nearestSection(anchor, entry, pages);
  const next = pages[pages.indexOf(entry) + 1];
  return (
    <div className={classes.columns}>
      <div>
        {isKnown ? null : (
          <Alert color="amber" role="status" mb="md">
            {withSpace(t("This page does not have a section “{{section}}”.", { section: anchor }))}
            {similar ? (
              <Anchor
                component={Link}
                to={addressOf(similar.page, similar.anchor)}
                lang={tags[entry.language]}
                inherit
              >
                {similar.title}
              </Anchor>
            ) : (
              t("Select another one, or use the search.")
            )}
          </Alert>
        )}
        <article lang={tags[language]} className={classes.article}>
          <Title order={1} fz={{ base: 22, sm: 26 }}>
            {page.data.title}
          </Title>
          <HelpBlocks blocks={page.data.blocks} />
        </article>
        <Version entry={entry} inEnglish={inEnglish} onEnglish={setInEnglish} />
        {next ? (
          <Text className={classes.next}>
            <Text span c="dimmed">
              {t("Next")}
            </Text>
            <Anchor component={Link} to={addressOf(next.id)} lang={tags[next.language]}>
              {next.title}
            </Anchor>
          </Text>
        ) : null}
      </div>
      <Outline entry={entry} />
    </div>
  );
}

/** Says when a page is shown in English for want of a translation, or when its translation is older. */
function Version(props: { entry: HelpEntry; inEnglish: boolean; onEnglish: (english: boolean) => void }) {
  const { entry, inEnglish, onEnglish } = props;
  const { t } = useTranslation("help");
  if (entry.language === "en_US")
    return currentLanguage() === "en_US" ? null : (
      <Text className={classes.version}>{t("This page is available in English only.")}</Text>
    );
  if (helpLanguageOf(currentLanguage()) === "en_US") return null;
  return (
    <Text className={classes.version}>
      {entry.outdated ? `${t("The English page is newer than this translation.")} ` : ""}
      <Anchor component="button" type="button" inherit onClick={() => onEnglish(!inEnglish)}>
        {inEnglish ? t("Show the translation") : t("Show this page in English")}
      </Anchor>
    </Text>
  );
}

/** The sections of the page, on wide screens. */
function Outline({ entry }: { entry: HelpEntry }) {
  const { t } = useTranslation("help");
  const addressOf = useHelpAddress();
  const sections = entry.sections.filter((section) => section.level === 2);
  if (sections.length < 2) return null;
  return (
    <nav className={classes.outline} aria-label={t("On this page")}>
      <Text fz="xs" fw={600} c="dimmed" mb={6}>
        {t("On this page")}
      </Text>
      <ul lang={tags[entry.language]}>
        {sections.map((section) => (
          <li key={section.id}>
            <Link to={addressOf(entry.id, section.id)}>{section.title}</Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Scrolls to the section that the address names, once the page is there. Returns its anchor. */
function useAnchor(ready: boolean): string {
  const location = useLocation();
  // A second click on the same link is a new location.
  useEffect(() => {
    if (ready) document.getElementById(anchorOf(location.hash))?.scrollIntoView();
  }, [ready, location]);
  return anchorOf(location.hash);
}

function anchorOf(hash: string): string {
  const text = hash.slice(1);
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

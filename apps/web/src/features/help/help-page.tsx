/** Help: the pages of docs/, with a search. Unknown pages lead to the nearest one. */
import { Alert, Anchor, Center, Loader } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams, useSearchParams } from "react-router-dom";
import { currentLanguage } from "#lib/i18n.ts";
import { withSpace } from "#lib/word-spacing.ts";
import { LoadError } from "#ui/empty.tsx";
import { Page } from "#ui/page/page.tsx";
import { SearchBox } from "#ui/table/filters.tsx";
import { helpIndexQuery, helpLanguageOf } from "./api.ts";
import type { HelpIndex } from "./content.ts";
import { useHelpAddress } from "./help-address.ts";
import { HelpArticle } from "./help-article.tsx";
import { HelpContents, HelpHits, HelpMenu } from "./help-list.tsx";
import { nearest } from "./search.ts";
import classes from "./help.module.css";

export default function HelpPage() {
  const { t } = useTranslation("help");
  const index = useQuery(helpIndexQuery(helpLanguageOf(currentLanguage())));
  if (index.error) return <LoadError error={index.error} onRetry={() => void index.refetch()} heading />;
  if (!index.data)
    return (
      <Center h={240}>
        <Loader size="sm" aria-label={t("Loading")} />
      </Center>
    );
  return <Help index={index.data} />;
}

function Help({ index }: { index: HelpIndex }) {
  const { t } = useTranslation("help");
  const { id = "" } = useParams();
  const [search, setSearch] = useSearchParams();
  const [menuOpen, setMenuOpen] = useState(false);
  const query = search.get("q") ?? "";
  const all = index.flatMap((group) => group.pages);
  const entry = all.find((page) => page.id === id);
  const isArticle = query === "" && entry !== undefined;
  return (
    <div className={classes.layout}>
      <div className={classes.side}>
        <SearchBox
          value={query}
          onChange={(value) => setSearch(value === "" ? {} : { q: value }, { replace: true })}
          placeholder={t("Search Help")}
          width="100%"
        />
        {isArticle ? (
          <button
            type="button"
            className={classes.toggle}
            aria-expanded={menuOpen}
            onClick={() => setMenuOpen(!menuOpen)}
          >
            {t("All pages")}
            <IconChevronDown size={16} stroke={1.8} aria-hidden />
          </button>
        ) : null}
        <div className={classes.pages} data-open={(isArticle && menuOpen) || undefined}>
          <HelpMenu index={index} onOpen={() => setMenuOpen(false)} />
        </div>
      </div>
      <div className={classes.content}>
        {isArticle ? (
          <HelpArticle key={entry.id} entry={entry} pages={all} />
        ) : (
          <Page title={t("Help")}>
            {query === "" && id !== "" ? <UnknownPage id={id} index={index} /> : null}
            {query === "" ? <HelpContents index={index} /> : <HelpHits index={index} query={query} />}
          </Page>
        )}
      </div>
    </div>
  );
}

/** Names the nearest page for an unknown one. The list of all pages follows. */
function UnknownPage({ id, index }: { id: string; index: HelpIndex }) {
  const { t } = useTranslation("help");
  const addressOf = useHelpAddress();
  const pages = index.flatMap((group) => group.pages);
  const similar = nearest(id, pages, (page) => [page.id, page.title]);
  return (
    <Alert color="amber" role="status">
      {withSpace(t("There is no help page “{{page}}”.", { page: id.slice(0, 60) }))}
      {similar ? (
        <Anchor component={Link} to={addressOf(similar.id)} inherit>
          {similar.title}
        </Anchor>
      ) : (
        t("Select a page below, or use the search.")
      )}
    </Alert>
  );
}

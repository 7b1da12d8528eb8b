/** An operator's page: Markdown, HTML, or the address of an external page. */
import { Anchor, Container, Loader, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import { lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Empty } from "#ui/empty.tsx";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import classes from "./operator-page.module.css";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));

const patienceMs = 15_000;

/** @param size maximum width of the text, in pixels */
export function OperatorPage({ text, title, size }: { text: string; title: string; size: number }) {
  const address = addressIn(text);
  if (address) return <ForeignPage address={address} title={title} />;
  return (
    <Container size={size} py={{ base: "lg", sm: 56 }} px={{ base: "md", sm: "lg" }}>
      <LazyBoundary>
        <RichText text={text} />
      </LazyBoundary>
    </Container>
  );
}

/** Returns the address when the text is an address and nothing else. */
function addressIn(text: string): URL | null {
  const trimmed = text.trim();
  return /^https?:\/\/\S+$/i.test(trimmed) ? URL.parse(trimmed) : null;
}

/**
 * An external page, without access to our origin, storage and
 * address. Browsers do not report why a frame stays empty.
 */
function ForeignPage({ address, title }: { address: URL; title: string }) {
  const { t } = useTranslation("site");
  const [state, setState] = useState<"loading" | "loaded" | "late">("loading");
  useEffect(() => {
    const timer = setTimeout(() => setState((now) => (now === "loading" ? "late" : now)), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  const link = (
    <Anchor href={address.href} target="_blank" rel="noopener noreferrer" fz="inherit">
      {t("Open {{host}} in a new tab", { host: address.host })}{" "}
      <IconExternalLink size={14} style={{ verticalAlign: "-2px" }} />
    </Anchor>
  );
  return (
    <div className={classes.frame}>
      <div className={classes.window}>
        {state === "loaded" ? null : (
          <div className={classes.wait} role="status">
            {state === "late" ? (
              <Empty title={t("{{host}} does not respond", { host: address.host })} action={link} />
            ) : (
              <Loader aria-label={t("Loading")} />
            )}
          </div>
        )}
        <iframe
          src={address.href}
          title={title}
          className={classes.foreign}
          sandbox="allow-scripts allow-forms allow-popups"
          referrerPolicy="no-referrer"
          onLoad={() => setState("loaded")}
        />
      </div>
      <Text component="div" fz="xs" c="dimmed" className={classes.note}>
        {t("Page not displayed?")} {link}
      </Text>
    </div>
  );
}

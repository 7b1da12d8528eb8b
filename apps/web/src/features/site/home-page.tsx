/** The public front page: the operator's own text, or ours. */
import { Container } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useSystemName } from "#lib/site.ts";
import { homeContentQuery } from "./api.ts";
import { Welcome } from "./welcome.tsx";
import classes from "./home-page.module.css";

const RichText = lazy(() => import("#ui/rich-text.tsx").then((module) => ({ default: module.RichText })));

export default function HomePage() {
  const content = useQuery(homeContentQuery);
  const name = useSystemName();
  const text = content.data?.trim() ?? "";
  if (content.isPending) return <div className={classes.pending} />;
  if (/^https?:\/\/\S+$/.test(text))
    return (
      <iframe
        src={text}
        title={name}
        className={classes.foreign}
        sandbox="allow-scripts allow-popups allow-forms"
      />
    );
  if (text)
    return (
      <Container size={1200} py="xl" px="lg">
        <Suspense fallback={null}>
          <RichText text={text} />
        </Suspense>
      </Container>
    );
  return <Welcome />;
}

/** The public front page: the operator's own text, or ours. */
import { useQuery } from "@tanstack/react-query";
import { useSystemName } from "#lib/site.ts";
import { homeContentQuery } from "./api.ts";
import { OperatorPage } from "./operator-page.tsx";
import { Welcome } from "./welcome.tsx";
import classes from "./home-page.module.css";

export default function HomePage() {
  const content = useQuery(homeContentQuery);
  const name = useSystemName();
  const text = content.data?.trim() ?? "";
  if (content.isPending) return <div className={classes.pending} />;
  if (text) return <OperatorPage text={text} title={name} size={1200} />;
  return <Welcome />;
}

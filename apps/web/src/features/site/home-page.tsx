/** The public home page: the operator's own content, or the default one. */
import { useQuery } from "@tanstack/react-query";
import { lazy } from "react";
import { Navigate } from "react-router-dom";
import { useSite, useSystemName } from "#lib/site.ts";
import { LazyBoundary } from "#ui/lazy-part.tsx";
import { homeContentQuery } from "./api.ts";
import { Welcome } from "./home/welcome.tsx";
import classes from "./home/home.module.css";

const OperatorPage = lazy(() =>
  import("./operator-page.tsx").then((module) => ({ default: module.OperatorPage })),
);

export default function HomePage() {
  const content = useQuery(homeContentQuery);
  const name = useSystemName();
  const site = useSite();
  const text = content.data?.trim() ?? "";
  if (site?.needs_setup) return <Navigate to="/setup" replace />;
  if (content.isPending) return <div className={classes.pending} />;
  if (text)
    return (
      <LazyBoundary fallback={<div className={classes.pending} />}>
        <OperatorPage text={text} title={name} size={1200} />
      </LazyBoundary>
    );
  return <Welcome />;
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "#platform/places.ts";

/** An expression of a dashboard or an alert. */
export interface Query {
  /** Where it stands, for the report. */
  where: string;
  expression: string;
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

interface Dashboard {
  title: string;
  panels: Panel[];
}

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}

/** What Grafana puts in place of its variables, for data of about a minute. */
const variables: Readonly<Record<string, string>> = {
  $__rate_interval: "1m",
  $job: ".*",
  $instance: ".*",
};

/** Returns the queries of all dashboards in deploy/grafana. */
export async function dashboardQueries(): Promise<Query[]> {
  const folder = join(root, "deploy/grafana");
  const queries: Query[] = [];
  for (const name of (await readdir(folder)).filter((file) => file.endsWith(".json"))) {
    const { title, panels } = JSON.parse(await readFile(join(folder, name), "utf8")) as Dashboard;
    for (const panel of panels)
      for (const { expr } of panel.targets ?? [])
        queries.push({ where: `${title}: ${panel.title}`, expression: withValues(expr) });
  }
  return queries;
}

/**
 * Returns what the alerts of deploy/prometheus/alerts.yml measure. An alert is a measured value, an operator and a
 * threshold, so that a value exists while nothing is wrong. Throws when one has another form.
 */
export async function alertQueries(): Promise<Query[]> {
  const { groups } = parse(await readFile(join(root, "deploy/prometheus/alerts.yml"), "utf8")) as Rules;
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert, expr }) => {
      const [, expression] = /^(.*) (?:<|>) [\d.]+$/s.exec(expr.trim()) ?? [];
      if (expression === undefined)
        throw new Error(`${alert} does not end with < or > and a number: ${expr}`);
      return { where: `alert ${alert}`, expression };
    }),
  );
}

function withValues(expression: string): string {
  return expression.replaceAll(/\$\w+/g, (name) => {
    const value = variables[name];
    if (value === undefined) throw new Error(`${name} in ${expression} has no value here.`);
    return value;
  });
}

/** The owners of the models, with the lowest price of each. */
import { Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { usableGroupsQuery } from "#lib/queries/groups.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { ownersOf, perMillion } from "./home-prices.ts";
import { ShowAll } from "./show-all.tsx";
import classes from "./home.module.css";

const shownAtFirst = 12;

export function ProvidersBlock() {
  const { t } = useTranslation("site");
  const models = useQuery(modelsQuery).data;
  const groups = useQuery(usableGroupsQuery).data;
  const [all, setAll] = useState(false);
  const owners = ownersOf(models ?? {}, groups ?? {});
  const shown = all ? owners : owners.slice(0, shownAtFirst);
  if (models && owners.length === 0) return null;
  return (
    <>
      <Title order={2} fz={24} mb="lg">
        {t("Providers")}
      </Title>
      <ul className={classes.owners} aria-label={t("Providers")}>
        {shown.map(({ name, example, count, from }) => (
          <li key={name}>
            <Link to={`/price?owner=${encodeURIComponent(name)}`} className={classes.owner}>
              <ModelIcon model={example} size={24} />
              <span className={classes.ownerText}>
                <Text span fw={600} truncate>
                  {name}
                </Text>
                <Text span fz="sm" c="dimmed">
                  {t("{{count}} models", { count })}
                </Text>
              </span>
              {from === undefined ? null : (
                <Text span fz="sm" className="tabular" ta="right">
                  {t("from {{price}}", { price: perMillion(from) })}
                </Text>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <Text fz="sm" c="dimmed" mt="sm">
        {t("Lowest price per million input tokens.")}
      </Text>
      <ShowAll shown={shown.length} total={owners.length} onShow={() => setAll(true)} />
    </>
  );
}

/** What the providers' prompt caches saved an account or on a channel, and what channel moves cost. */
import type { CacheEffect } from "@gateway/shared/usage/session";
import { Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatTime, useFormat } from "#lib/format/quota.ts";
import { asSent, http } from "#lib/http.ts";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";

const effectQuery = (path: string) =>
  queryOptions({
    queryKey: ["cache-effect", path],
    queryFn: () => http.get(`${path}/cache`, asSent<CacheEffect>()),
    staleTime: 60_000,
    meta: { quiet: true },
  });

/**
 * Renders nothing while it loads, and for objects without cached input.
 * @param path path of the object: "/channel/3"
 */
export function CacheEffectCard({ path }: { path: string }) {
  const { t } = useTranslation();
  const format = useFormat();
  const effect = useQuery(effectQuery(path)).data;
  if (effect === undefined || (effect.cached === 0 && effect.write_extra === 0)) return null;
  return (
    <Section
      title={t("Prompt cache, 30 days")}
      hint={t("Savings from cached input and the cost of moves between channels, at the prices charged.")}
    >
      <Facts columns={4}>
        <Fact label={t("Input from the cache")}>{format.percent(effect.cached / effect.input)}</Fact>
        <Fact label={t("Saved by cached input")}>{format.quota(effect.saved)}</Fact>
        <Fact label={t("Surcharge for cache writes")}>{format.quota(effect.write_extra)}</Fact>
        <Fact label={t("Lost by channel moves")}>
          {t("{{amount}} in {{count}} moves", {
            amount: format.quota(effect.moves.cost),
            count: effect.moves.count,
          })}
        </Fact>
      </Facts>
      {effect.complete ? null : (
        <Text fz="xs" c="dimmed" mt="sm">
          {t("Based on the newest {{number}} calls, since {{time}}", {
            number: format.whole(effect.calls),
            time: formatTime(effect.since),
          })}
        </Text>
      )}
    </Section>
  );
}

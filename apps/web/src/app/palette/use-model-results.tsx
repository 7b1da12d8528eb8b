/** Models that match the palette's text, and the actions that disable one everywhere or enable it again. */
import type { SpotlightActionData } from "@mantine/spotlight";
import { IconBan, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useModelSwitch } from "#components/disabled-models/use-model-switch.tsx";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { modelAddress } from "#lib/address/model-address.ts";
import { disabledModelsQuery } from "#lib/queries/disabled-models.ts";
import { modelsQuery } from "#lib/queries/models.ts";
import { useMayEnter } from "#lib/session.ts";
import { afterVerb } from "./after-verb.ts";

const most = 5;

/**
 * Returns the models that contain the text. After "disable" or "enable", in English or the user's language,
 * returns these actions instead.
 * @param typed at least two letters; "" while nothing is requested
 * @param go opens an address of the console
 */
export function useModelResults(
  typed: string,
  go: (to: string, label: string) => void,
): SpotlightActionData[] {
  const { t } = useTranslation();
  const mayDisable = useMayEnter("channels", "edit");
  const models = useQuery({ ...modelsQuery, enabled: typed !== "" });
  const toDisable = mayDisable ? afterVerb(typed, ["disable", t("Disable")]) : undefined;
  const toEnable = mayDisable ? afterVerb(typed, ["enable", t("Enable")]) : undefined;
  const disabled = useQuery({ ...disabledModelsQuery, enabled: mayDisable && toEnable !== undefined });
  const change = useModelSwitch();
  if (typed === "") return [];
  const matching = (names: readonly string[], text: string) =>
    names
      .filter((name) => name.toLowerCase().includes(text.toLowerCase()))
      .toSorted((one, other) => one.length - other.length)
      .slice(0, most);
  const modelNames = Object.keys(models.data ?? {});
  if (toDisable !== undefined)
    return matching(modelNames, toDisable).map((model) => {
      const label = t("Disable {{model}} everywhere", { model });
      return {
        id: `disable-${model}`,
        label,
        leftSection: <IconBan size={18} stroke={1.7} />,
        onClick: () => go(`/panel/channel?disable=${encodeURIComponent(model)}`, label),
      };
    });
  if (toEnable !== undefined)
    return matching(disabled.data ?? [], toEnable).map((model) => ({
      id: `enable-${model}`,
      label: t("Enable {{model}} again", { model }),
      leftSection: <IconCircleCheck size={18} stroke={1.7} />,
      onClick: () => change.mutate({ model, disabled: false }),
    }));
  return matching(modelNames, typed).map((model) => ({
    id: `model-${model}`,
    label: model,
    leftSection: <ModelIcon model={model} size={18} />,
    onClick: () => go(modelAddress(model, true), model),
  }));
}

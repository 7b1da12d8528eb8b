/** Selects the channel's models from the provider's list. */
import {
  Badge,
  Box,
  Button,
  Checkbox,
  Group,
  Modal,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconCloudOff, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { errorReason } from "#lib/errors/error-text.ts";
import { asList, http } from "#lib/http.ts";
import { Empty } from "#ui/empty.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import type { ChannelDraft } from "./draft.ts";
import { NameRulesFields } from "./name-rules-fields.tsx";
import { applyRules, noRules } from "./name-rules.ts";
import classes from "#features/channels/channels.module.css";

type ProviderModelPickerProps = {
  draft: ChannelDraft;
  id: number | undefined;
  onClose: () => void;
  onChoose: (models: string[], mapping: Record<string, string>) => void;
};

type ModelFilter = "all" | "new" | "gone";

export function ProviderModelPicker({ draft, id, onClose, onChoose }: ProviderModelPickerProps) {
  const { t } = useTranslation("channels");
  const phone = useIsPhone();
  const opening = useId();
  const { type, base_url, key, other, proxy } = draft;
  const list = useQuery({
    queryKey: ["provider-models", opening],
    queryFn: () =>
      http.post("/channel/models", asList<string[]>(), { type, base_url, key, other, proxy, id }),
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("Provider's models")}
      size={640}
      padding={0}
      fullScreen={phone}
      classNames={{ header: classes.pickerHead }}
    >
      {list.data ? (
        <Choice offered={list.data} had={draft.models} onClose={onClose} onChoose={onChoose} />
      ) : list.error ? (
        <Empty
          icon={IconCloudOff}
          title={t("Failed to get model list")}
          hint={errorReason(list.error, t)}
          action={
            <Button variant="default" loading={list.isFetching} onClick={() => void list.refetch()}>
              {t("Try again")}
            </Button>
          }
        />
      ) : (
        <Stack gap={10} p="md" aria-busy>
          {[0, 1, 2, 3, 4, 5, 6].map((line) => (
            <Skeleton key={line} height={22} width={`${48 + ((line * 29) % 40)}%`} />
          ))}
        </Stack>
      )}
    </Modal>
  );
}

type ModelChoiceProps = {
  offered: string[];
  had: string[];
  onClose: () => void;
  onChoose: (models: string[], mapping: Record<string, string>) => void;
};

function Choice({ offered, had, onClose, onChoose }: ModelChoiceProps) {
  const { t } = useTranslation("channels");
  const [view, setView] = useState<ModelFilter>("all");
  const [search, setSearch] = useState("");
  const [rules, setRules] = useState(noRules);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(had));
  const patterns = had.filter((model) => model.endsWith("*"));
  const added = offered.filter((model) => !had.includes(model));
  const missingModels = had.filter((model) => !offered.includes(model) && !patterns.includes(model));
  const inView: Record<ModelFilter, string[]> = {
    all: [...missingModels, ...offered],
    new: added,
    gone: missingModels,
  };
  const searchText = search.trim().toLowerCase();
  const shown = inView[view].filter((model) => model.toLowerCase().includes(searchText));

  const put = (models: string[], on: (model: string) => boolean) =>
    setChosen((known) => {
      const next = new Set(known);
      for (const model of models) {
        if (on(model)) next.add(model);
        else next.delete(model);
      }
      return next;
    });
  const everyShown = shown.length > 0 && shown.every((model) => chosen.has(model));
  const plus = [...chosen].filter((model) => !had.includes(model)).length;
  const minus = had.filter((model) => !chosen.has(model)).length;
  // Existing models keep their names: callers use them.
  const fresh = [...chosen].filter((model) => !had.includes(model));
  const renamedModels = applyRules(fresh, rules);
  const result = [...new Set([...had.filter((model) => chosen.has(model)), ...renamedModels.models])];

  return (
    <>
      <Stack gap={10} px="md" py="sm" className={classes.pickerTop}>
        <Group gap="xs">
          <TextInput
            flex={1}
            miw={160}
            type="search"
            data-autofocus
            aria-label={t("Find a model")}
            placeholder={t("Find a model")}
            leftSection={<IconSearch size={15} />}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <SegmentedControl
            size="sm"
            aria-label={t("View")}
            value={view}
            onChange={(next) => setView(next as ModelFilter)}
            data={[
              { value: "all", label: t("All {{number}}", { number: inView.all.length }) },
              { value: "new", label: t("New {{number}}", { number: added.length }) },
              ...(missingModels.length > 0
                ? [{ value: "gone", label: t("Removed {{number}}", { number: missingModels.length }) }]
                : []),
            ]}
          />
        </Group>
        <Group gap="xs">
          <Checkbox
            size="sm"
            label={t("Select all shown")}
            checked={everyShown}
            indeterminate={!everyShown && shown.some((model) => chosen.has(model))}
            onChange={(event) => {
              const { checked } = event.currentTarget;
              put(shown, () => checked);
            }}
          />
          <Button
            variant="subtle"
            size="compact-sm"
            ml="auto"
            onClick={() => put(shown, (model) => !chosen.has(model))}
          >
            {t("Invert selection")}
          </Button>
        </Group>
      </Stack>
      <div className={classes.pickerList}>
        {shown.map((model) => (
          <label key={model} className={classes.pickerRow}>
            <Checkbox
              size="sm"
              aria-label={model}
              checked={chosen.has(model)}
              onChange={(event) => {
                const { checked } = event.currentTarget;
                put([model], () => checked);
              }}
            />
            <ModelIcon model={model} size={16} />
            <Text span ff="monospace" fz={12.5} flex={1} className={classes.wrap}>
              {model}
            </Text>
            {missingModels.includes(model) ? (
              <Badge color="amber">{t("no longer listed")}</Badge>
            ) : had.includes(model) ? null : (
              <Badge>{t("new")}</Badge>
            )}
          </label>
        ))}
        {shown.length === 0 ? (
          <Empty
            compact
            title={view === "new" && searchText === "" ? t("No new models") : t("No model matches")}
          />
        ) : null}
      </div>
      <Box px="md" py={10} className={classes.pickerRules}>
        <NameRulesFields rules={rules} mapping={renamedModels.mapping} onChange={setRules} />
      </Box>
      <Group justify="space-between" className={classes.pickerFoot}>
        <Text c="dimmed" fz="sm" className="tabular">
          {plus + minus === 0 ? t("No change") : `+${plus}  −${minus}`}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onClose}>
            {t("Cancel")}
          </Button>
          <Button
            disabled={chosen.size === 0}
            onClick={() => {
              onChoose(result, renamedModels.mapping);
              onClose();
            }}
          >
            {t("Use {{count}} models", { count: chosen.size })}
          </Button>
        </Group>
      </Group>
    </>
  );
}

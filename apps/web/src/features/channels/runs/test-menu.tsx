/**
 * Tests one channel: the user selects a model and sees the result beside it. Earlier results stay for
 * comparison. Users with read access see the history.
 */
import type { ChannelRow } from "@gateway/shared/channels/channel";
import { cannotProbe } from "@gateway/shared/channels/channel-status";
import {
  Badge,
  Box,
  Button,
  Group,
  Loader,
  Popover,
  ScrollArea,
  Text,
  TextInput,
  Tooltip,
  UnstyledButton,
  VisuallyHidden,
} from "@mantine/core";
import { IconCheck, IconPlayerPlay, IconSearch, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { cloneElement, type ReactElement, useState } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { refreshChannels, useProvider } from "#features/channels/api.ts";
import { Reason } from "#features/channels/reason.tsx";
import { useMayChange } from "#lib/changes.ts";
import { formatDuration } from "#lib/format/quota.ts";
import { lazyPart } from "#ui/lazy-part.tsx";
import { type TestState, useRunTest, useTestBook } from "./channel-tests.ts";
import classes from "#features/channels/channels.module.css";

const CheckDialog = lazyPart(() => import("./check-dialog.tsx").then((module) => module.CheckDialog));
const TestHistory = lazyPart(() => import("./test-history.tsx").then((module) => module.TestHistory));

/** @param children the button that opens the menu */
export function TestMenu({
  row,
  children,
}: {
  row: ChannelRow;
  children: ReactElement<{ onClick?: () => void }>;
}) {
  const [opened, setOpened] = useState(false);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const close = () => setDialog(null);
  const history = dialog === "history" ? <TestHistory id={row.id} name={row.name} onClose={close} /> : null;
  if (!useMayChange())
    return (
      <>
        {cloneElement(children, { onClick: () => setDialog("history") })}
        {history}
      </>
    );
  return (
    <>
      <Popover position="bottom-end" width={380} trapFocus opened={opened} onChange={setOpened}>
        <Popover.Target>
          {cloneElement(children, { onClick: () => setOpened((open) => !open) })}
        </Popover.Target>
        <Popover.Dropdown p={0}>
          <TestPanel
            row={row}
            onShow={(next) => {
              setOpened(false);
              setDialog(next);
            }}
          />
        </Popover.Dropdown>
      </Popover>
      {history}
      {dialog === "check" ? <CheckDialog row={row} onClose={close} /> : null}
    </>
  );
}

type Dialog = "history" | "check";

function TestPanel({ row, onShow }: { row: ChannelRow; onShow: (dialog: Dialog) => void }) {
  const { t } = useTranslation("channels");
  const provider = useProvider(row.type);
  const { byModel } = useTestBook(row.id);
  const run = useRunTest();
  const client = useQueryClient();
  const [search, setSearch] = useState("");
  const searchText = search.trim();
  const exactModels = row.models.filter((model) => !model.endsWith("*"));
  const usual = row.test_model || exactModels[0] || provider?.test_model;
  const models = usual ? [usual, ...exactModels.filter((model) => model !== usual)] : exactModels;
  const shown = models.filter((model) => model.toLowerCase().includes(searchText.toLowerCase()));
  const busy = Object.values(byModel).some((test) => test.state === "running");

  const testOne = async (model: string) => {
    await run(row.id, model);
    await refreshChannels(client);
  };
  const testAll = async () => {
    for (const model of shown) await run(row.id, model);
    await refreshChannels(client);
  };
  return (
    <>
      <Box p="sm" pb={8}>
        <TextInput
          size="xs"
          type="search"
          data-autofocus
          aria-label={t("Find a model")}
          placeholder={t("Find a model, or enter one to test")}
          leftSection={<IconSearch size={14} />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && searchText) void testOne(shown[0] ?? searchText);
          }}
        />
      </Box>
      <ScrollArea.Autosize mah={300} type="auto" scrollbarSize={8}>
        <Box px={6} pb={6}>
          {shown.map((model) => (
            <TestLine
              key={model}
              name={model}
              badge={model === usual ? t("Default") : undefined}
              test={byModel[model]}
              onRun={() => void testOne(model)}
            />
          ))}
          {searchText !== "" && !models.includes(searchText) ? (
            <TestLine
              name={searchText}
              badge={t("Custom")}
              test={byModel[searchText]}
              onRun={() => void testOne(searchText)}
            />
          ) : null}
        </Box>
      </ScrollArea.Autosize>
      <Group className={classes.panelFoot} justify="space-between" wrap="nowrap">
        <Group gap={4} wrap="nowrap">
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onShow("history")}>
            {t("History")}
          </Button>
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onShow("check")}>
            {t("Verify the model")}
          </Button>
        </Group>
        {shown.length > 1 ? (
          <Tooltip label={t("Each test is one short call to the provider.")}>
            <Button size="compact-xs" variant="light" disabled={busy} onClick={() => void testAll()}>
              {t("Test all {{number}}", { number: shown.length })}
            </Button>
          </Tooltip>
        ) : null}
      </Group>
    </>
  );
}

function TestLine(props: {
  name: string;
  badge?: string | undefined;
  test: TestState | undefined;
  onRun: () => void;
}) {
  const { t } = useTranslation("channels");
  const { name, badge, test, onRun } = props;
  const failed = test?.state === "done" && !test.result.ok;
  const skipped = failed && test.result.fault === cannotProbe;
  return (
    <UnstyledButton className={classes.testLine} disabled={test?.state === "running"} onClick={onRun}>
      <Group gap={8} wrap="nowrap">
        <ModelIcon model={name} size={15} />
        <Text ff="monospace" fz={12.5} truncate flex={1}>
          <VisuallyHidden>{t("Test")} </VisuallyHidden>
          {name}
        </Text>
        {badge ? (
          <Badge size="sm" variant="default" c="dimmed">
            {badge}
          </Badge>
        ) : null}
        <TestOutcome test={test} />
      </Group>
      {failed ? (
        <Text c={skipped ? "dimmed" : "red"} fz="xs" mt={3} pl={23} className={classes.wrap}>
          <Reason text={test.result.message} facts={test.result.message_facts} />
        </Text>
      ) : null}
    </UnstyledButton>
  );
}

function TestOutcome({ test }: { test: TestState | undefined }) {
  const { t } = useTranslation("channels");
  if (!test) return <IconPlayerPlay size={14} className={classes.play} aria-hidden />;
  if (test.state === "running") return <Loader size={14} />;
  const { ok, duration, fault } = test.result;
  if (fault === cannotProbe)
    return (
      <Text span c="dimmed" fz="xs">
        {t("Not testable")}
      </Text>
    );
  return (
    <Text span c={ok ? "green" : "red"} fz="xs" fw={500} className={classes.outcome}>
      {ok ? <IconCheck size={13} aria-hidden /> : <IconX size={13} aria-hidden />}
      {ok ? formatDuration(duration) : t("Failed")}
    </Text>
  );
}

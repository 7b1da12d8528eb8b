/** Details of a task: its result and facts. */
import { Alert, Drawer, Group, ScrollArea, Stack, Text, Title } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ModelIcon } from "#components/icons/provider-icon.tsx";
import { formatDuration, formatTime } from "#lib/format/quota.ts";
import { CopyCode } from "#ui/copy.tsx";
import { Fact, Facts } from "#ui/figures/facts.tsx";
import { Section } from "#ui/page/page.tsx";
import { useIsPhone } from "#ui/use-is-phone.ts";
import { actionWord, isOpen } from "./task-labels.ts";
import { TaskCost, TaskState } from "./task-state.tsx";
import type { TaskSummary } from "./task-summary.ts";

type TaskDrawerProps = { task: TaskSummary; result: ReactNode; forAdmins: boolean; onClose: () => void };

export function TaskDrawer({ task, result, forAdmins, onClose }: TaskDrawerProps) {
  const { t } = useTranslation("tasks");
  const phone = useIsPhone();
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={phone ? "100%" : 560}
      scrollAreaComponent={ScrollArea.Autosize}
      title={<Heading task={task} />}
    >
      <Stack gap="md">
        <Outcome task={task} result={result} />
        {task.prompt === "" ? null : (
          <Section padding="md" title={t("Prompt")}>
            <Text style={{ whiteSpace: "pre-wrap", overflowWrap: "anywhere" }}>{task.prompt}</Text>
          </Section>
        )}
        <Section padding="md" title={t("Details")}>
          <TaskFacts task={task} forAdmins={forAdmins} />
        </Section>
      </Stack>
    </Drawer>
  );
}

function Heading({ task }: { task: TaskSummary }) {
  const { t } = useTranslation("tasks");
  return (
    <Group gap={10} wrap="nowrap">
      <ModelIcon model={task.model} size={20} />
      <Title order={2} component="span" fz="lg">
        {t(actionWord(task.action))}
      </Title>
      <Text span fz="sm">
        <TaskState task={task} />
      </Text>
    </Group>
  );
}

function Outcome({ task, result }: { task: TaskSummary; result: ReactNode }) {
  const { t } = useTranslation("tasks");
  if (task.status === "FAILURE")
    return (
      <Alert
        color="red"
        variant="light"
        icon={<IconAlertCircle size={18} />}
        title={task.fail_reason || t("The provider gave no reason.")}
      >
        <Text fz="sm" c="dimmed">
          {task.refunded ? t("The cost of the task was refunded.") : t("The task was not charged.")}
        </Text>
      </Alert>
    );
  if (isOpen(task))
    return <Text c="dimmed">{t("The result appears here when the provider has completed the task.")}</Text>;
  return result;
}

function TaskFacts({ task, forAdmins }: { task: TaskSummary; forAdmins: boolean }) {
  const { t } = useTranslation("tasks");
  const { finished, submitted } = task;
  return (
    <Facts columns={2}>
      <Fact label={t("Task ID")}>
        <CopyCode text={task.taskId} label={t("Task ID")} />
      </Fact>
      <Fact label={t("Model")}>{task.model}</Fact>
      <Fact label={t("Submitted")}>{formatTime(submitted)}</Fact>
      <Fact label={t("Duration")}>
        {finished === null ? "–" : formatDuration(Math.max(0, finished - submitted) * 1_000)}
      </Fact>
      <Fact label={t("Cost")}>
        <TaskCost task={task} />
      </Fact>
      {forAdmins ? (
        <>
          <Fact label={t("Username")}>{task.username}</Fact>
          <Fact label={t("Channel")}>{`#${task.channel_id} ${task.channel_name}`}</Fact>
        </>
      ) : null}
    </Facts>
  );
}

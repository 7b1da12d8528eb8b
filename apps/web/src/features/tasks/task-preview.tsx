/** The result of a finished task as audio, video or text. */
import type { TaskRow } from "@gateway/shared/channels/task";
import { Anchor, Box, Code, Group, Image, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "#ui/copy.tsx";
import { Section } from "#ui/page/page.tsx";
import { type Clip, resultOf } from "./task-result.ts";

export function TaskPreview({ row }: { row: TaskRow }) {
  const { t } = useTranslation("tasks");
  const result = resultOf(row);
  switch (result.kind) {
    case "songs":
      return result.clips.map((clip, index) => (
        <Song key={clip.id || index} clip={clip} requested={row.prompt} />
      ));
    case "lyrics":
      return (
        <Section
          padding="md"
          title={result.title || t("Lyrics")}
          aside={<CopyButton text={result.text} label={t("Lyrics")} />}
        >
          <Text style={{ whiteSpace: "pre-wrap" }}>{result.text}</Text>
        </Section>
      );
    case "videos":
      return result.videos.map(({ id, url }) => (
        <Section key={id || url} padding="md">
          <Stack gap="sm">
            <video src={url} controls preload="metadata" style={{ width: "100%", borderRadius: 8 }} />
            <Download url={url} />
          </Stack>
        </Section>
      ));
    case "other":
      return (
        <Section
          padding="md"
          title={t("Result")}
          aside={<CopyButton text={JSON.stringify(row.data, null, 2)} label={t("Result")} />}
        >
          <Code block>{JSON.stringify(row.data, null, 2)}</Code>
        </Section>
      );
  }
}

/** @param requested the prompt of the task; a clip with the same text does not repeat it */
function Song({ clip, requested }: { clip: Clip; requested: string }) {
  const { t } = useTranslation("tasks");
  const { audio_url: audio, video_url: video, image_url: cover } = clip;
  const text = clip.metadata.prompt ?? "";
  return (
    <Section padding="md">
      <Stack gap="sm">
        <Group gap="md" wrap="nowrap">
          {cover ? <Image src={cover} alt="" w={64} h={64} radius="md" fit="cover" /> : null}
          <Box miw={0}>
            <Text fw={600} truncate>
              {clip.title || t("Song")}
            </Text>
            <Text c="dimmed" fz="sm" truncate>
              {clip.metadata.tags}
            </Text>
          </Box>
        </Group>
        {audio ? <audio src={audio} controls preload="none" style={{ width: "100%" }} /> : null}
        <Group gap="md">
          {audio ? <Download url={audio} /> : null}
          {video ? (
            <Anchor href={video} target="_blank" rel="noreferrer" fz="sm">
              {t("Watch the video")}
            </Anchor>
          ) : null}
        </Group>
        {text && text !== requested ? (
          <Text fz="sm" c="dimmed" lineClamp={6} style={{ whiteSpace: "pre-wrap" }}>
            {text}
          </Text>
        ) : null}
      </Stack>
    </Section>
  );
}

export function Download({ url }: { url: string }) {
  const { t } = useTranslation("tasks");
  return (
    <Anchor href={url} download target="_blank" rel="noreferrer" fz="sm">
      <Group component="span" gap={5} display="inline-flex">
        <IconDownload size={15} />
        {t("Download")}
      </Group>
    </Anchor>
  );
}

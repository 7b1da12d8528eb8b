/** One step of the instructions: a command, a file, code, or the fields of a form. */
import {
  type ClientSettingsFile,
  type Part,
  pathOn,
  type Platform,
} from "@gateway/shared/connect/connection";
import { Button, Text } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import { CodeBox } from "#components/samples/code-box.tsx";
import { phrasesIn } from "#lib/i18n.ts";
import { CopyCode } from "#ui/copy.tsx";
import classes from "./connect.module.css";

const phrase = phrasesIn("connect");

type CommandPart = Extract<Part, { kind: "command" }>;

const commandTitles: Record<CommandPart["does"], string> = {
  install: phrase("Install the client"),
  connect: phrase("Connect with one command"),
  start: phrase("Start it"),
  run: phrase("Run it"),
};

/** @returns a text that differs between the parts of a client */
export function keyOfPart(part: Part): string {
  switch (part.kind) {
    case "command":
      return `command ${part.does}`;
    case "file":
      return `file ${part.path}`;
    case "code":
      return `code ${part.language}`;
    case "fields":
      return `fields ${part.where.join(" ")}`;
    case "link":
      return `link ${part.application}`;
  }
}

type PartViewProps = {
  part: Part;
  platform: Platform;
  /** Whether the part contains a real key. A link with a placeholder would save it. */
  complete: boolean;
};

export function PartView({ part, platform, complete }: PartViewProps) {
  const { t } = useTranslation("connect");
  switch (part.kind) {
    case "command":
      return (
        <li className={classes.step}>
          <Text fw={600}>{t(commandTitles[part.does])}</Text>
          {part.does === "connect" ? (
            <Text fz="sm" c="dimmed">
              {t(
                "The script writes the settings below and makes a test call. It backs up your files. Run it with --undo to restore them.",
              )}
            </Text>
          ) : null}
          <CodeBox
            code={platform === "Windows" ? part.powershell : part.posix}
            label={t("Command")}
            bar={platform === "Windows" ? "PowerShell" : t("Terminal")}
          />
        </li>
      );
    case "file": {
      const path = pathOn(platform, part);
      return (
        <li className={classes.step}>
          <Text fw={600}>{t("Save this as {{path}}", { path })}</Text>
          <Text fz="sm" c="dimmed">
            {fileHint(t, part)}
          </Text>
          <CodeBox
            code={part.content}
            label={t("File")}
            bar={
              <Text span ff="monospace" fz="inherit">
                {path}
              </Text>
            }
          />
        </li>
      );
    }
    case "code":
      return (
        <li className={classes.step}>
          <Text fw={600}>{part.language}</Text>
          <CodeBox code={part.install} label={t("Command")} bar={t("Terminal")} />
          <CodeBox code={part.content} label={t("Code")} bar={part.language} />
        </li>
      );
    case "fields":
      return (
        <li className={classes.step}>
          <Text fw={600}>{t("Enter these values")}</Text>
          <Text fz="sm" c="dimmed">
            {part.where.join(" → ")}
          </Text>
          <dl className={classes.fields}>
            {part.rows.map(({ name, value }) => (
              <FieldRow key={name} name={name} value={value} />
            ))}
          </dl>
        </li>
      );
    case "link":
      return (
        <li className={classes.step}>
          <Text fw={600}>{t("Open it in {{application}}", { application: part.application })}</Text>
          <Text fz="sm" c="dimmed">
            {complete
              ? t("{{application}} shows the settings, including your key, before it saves them.", {
                  application: part.application,
                })
              : t("Insert a key first. The link fills in the address, the model and the key.")}
          </Text>
          <div>
            <Button
              variant="default"
              leftSection={<IconExternalLink size={16} />}
              disabled={!complete}
              {...(complete ? { component: "a" as const, href: part.url } : {})}
            >
              {t("Open {{application}}", { application: part.application })}
            </Button>
          </div>
        </li>
      );
  }
}

function FieldRow({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <CopyCode text={value} label={name} />
      </dd>
    </>
  );
}

function fileHint(t: TFunction<"connect">, { base, format }: ClientSettingsFile): string {
  if (format === "sh") return t("This program shows in the status line what your key may still spend.");
  return base === "home"
    ? t("If the file exists, add these settings to it.")
    : t("Save the file in the folder of the application. If the file exists, add these settings to it.");
}

/** A number edited in place: Enter or blur saves, Escape reverts. */
import { TextInput, Tooltip } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { useMayChange } from "#lib/changes.ts";
import classes from "./inline-number.module.css";

type InlineNumberProps = {
  label: string;
  value: number;
  /** Returns the translated error of a number, at once or later; null when it is valid. */
  check: (value: number) => string | null | Promise<string | null>;
  /** Rejects when it was not saved; the old number is then restored. */
  onSave: (value: number) => Promise<unknown>;
  width?: number;
};

const shownMs = 1_500;

export function InlineNumber({ label, value, check, onSave, width = 64 }: InlineNumberProps) {
  const mayChange = useMayChange();
  const [draft, setDraft] = useState<string | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [phase, setPhase] = useState<"idle" | "saving" | "saved">("idle");

  const input = useRef<HTMLInputElement>(null);

  const drop = () => {
    setDraft(null);
    setFault(null);
  };

  const commit = async () => {
    if (draft === null || phase === "saving") return;
    const next = draft.trim() === "" ? Number.NaN : Number(draft);
    if (next === value) return drop();
    setPhase("saving");
    try {
      const wrong = await check(next);
      setFault(wrong);
      if (wrong !== null) {
        setPhase("idle");
        return;
      }
      await onSave(next);
      setPhase("saved");
      setTimeout(() => setPhase("idle"), shownMs);
    } catch {
      setPhase("idle");
    }
    drop();
  };

  if (!mayChange) return value;
  return (
    <>
      <TextInput
        ref={input}
        aria-label={label}
        size="xs"
        w={width}
        classNames={{ root: classes.root, input: classes.input }}
        inputMode="numeric"
        autoComplete="off"
        error={fault !== null}
        value={draft ?? String(value)}
        readOnly={phase === "saving"}
        rightSection={
          phase === "saved" ? (
            <IconCheck size={13} color="var(--mantine-color-green-text)" aria-hidden />
          ) : null
        }
        rightSectionWidth={phase === "saved" ? 20 : 0}
        onFocus={(event) => event.currentTarget.select()}
        onChange={(event) => {
          setDraft(event.currentTarget.value);
          setFault(null);
        }}
        onBlur={() => void commit()}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            // Must not submit a surrounding form.
            event.preventDefault();
            void commit();
          }
          if (event.key === "Escape") drop();
        }}
      />
      {fault === null ? null : (
        <Tooltip
          target={input}
          opened
          label={<span role="alert">{fault}</span>}
          color="red"
          position="bottom"
          multiline
          maw={240}
        />
      )}
    </>
  );
}

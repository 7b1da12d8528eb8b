/** A setting that is a JSON object by model names. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { modelsQuery } from "#lib/queries/models.ts";
import { JsonTextField } from "#ui/json/json-text-field.tsx";

type JsonSettingProps = {
  common: { label: ReactNode; description: ReactNode; error: string | undefined };
  text: string;
  onChange: (text: string) => void;
};

export function JsonSetting({ common, text, onChange }: JsonSettingProps) {
  const { data: models = {} } = useQuery(modelsQuery);
  return (
    <JsonTextField
      {...common}
      minRows={2}
      completions={Object.keys(models)}
      value={text}
      onChange={onChange}
    />
  );
}

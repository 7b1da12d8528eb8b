/** Code samples of the first call in curl, Python and TypeScript, with the address filled in. */
import {
  openaiSample,
  type Sample,
  type SampleLanguage,
  sampleLanguages,
} from "@gateway/shared/connect/sample-code";
import { Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { CodeBox } from "./code-box.tsx";

type CodeSamplesProps = {
  sample: Sample;
  /** Returns the code for the selected client library; default OpenAI's. */
  codeOf?: (language: SampleLanguage, sample: Sample) => string;
  /** Precedes the choice of the language. */
  choice?: ReactNode;
};

export function CodeSamples({ sample, codeOf = openaiSample, choice }: CodeSamplesProps) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<SampleLanguage>("curl");
  // A placeholder until there is a model.
  const code = codeOf(language, { ...sample, model: sample.model || "<model>" });
  return (
    <CodeBox
      code={code}
      label={t("Code")}
      steady
      bar={
        <Group gap="xs">
          {choice}
          <ChoiceBar
            label={t("Language of the sample")}
            choices={sampleLanguages}
            value={language}
            onChange={setLanguage}
          />
        </Group>
      }
    />
  );
}

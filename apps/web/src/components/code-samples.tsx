/** Code samples of the first call in curl, Python and TypeScript, with the address filled in. */
import { Group } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "#ui/copy.tsx";
import { ChoiceBar } from "#ui/form/choice-bar.tsx";
import { openaiSample, type Sample, type SampleLanguage, sampleLanguages } from "./sample-code.ts";
import classes from "./code-samples.module.css";

/** Highlights strings and keywords in two colours. A library would be too large for that. */
function toned(code: string) {
  return code.split(/("[^"\n]*"|'[^'\n]*')/g).map((part, index) => {
    // Parts never move, so the position is the key.
    const key = `${index}:${part.length}`;
    return index % 2 === 1 ? (
      <span key={key} className={classes.string}>
        {part}
      </span>
    ) : (
      <span key={key}>{part}</span>
    );
  });
}

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
    <div className={classes.box}>
      <div className={classes.bar}>
        <Group gap="xs">
          {choice}
          <ChoiceBar
            label={t("Language of the sample")}
            choices={sampleLanguages}
            value={language}
            onChange={setLanguage}
          />
        </Group>
        <CopyButton text={code} label={t("Code")} />
      </div>
      <pre className={classes.code} tabIndex={0}>
        <code>{toned(code)}</code>
      </pre>
    </div>
  );
}

/** How to make the first call: curl, Python, TypeScript, with the address filled in. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "./copy.tsx";
import classes from "./code-samples.module.css";

type SampleProps = {
  /** Of the server, without /v1. */
  address: string;
  model: string;
  /** Stands for the key; the reader's own, or a placeholder. */
  apiKey?: string;
};

const languages = ["curl", "Python", "TypeScript"] as const;
type SampleLanguage = (typeof languages)[number];

function sample(language: SampleLanguage, { address, model, apiKey = "sk-…" }: SampleProps): string {
  switch (language) {
    case "curl":
      return `curl ${address}/v1/chat/completions \\
  -H "Authorization: Bearer ${apiKey}" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "${model}",
    "messages": [
      {"role": "user", "content": "Hello"}
    ],
    "stream": true
  }'`;
    case "Python":
      return `from openai import OpenAI

client = OpenAI(
    base_url="${address}/v1",
    api_key="${apiKey}",
)
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello"}],
)
print(answer.choices[0].message.content)`;
    case "TypeScript":
      return `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${address}/v1",
  apiKey: "${apiKey}",
});
const answer = await client.chat.completions.create({
  model: "${model}",
  messages: [{ role: "user", content: "Hello" }],
});
console.log(answer.choices[0].message.content);`;
  }
}

/** Strings and keywords in two tones: enough to read by, too little to need a library. */
function toned(code: string) {
  return code.split(/("[^"\n]*"|'[^'\n]*')/g).map((part, index) => {
    // Parts never move: the position is the key.
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

/** A model of these that surely chats, for the samples. */
export function sampleModel(models: readonly string[]): string {
  const chats = models.filter((name) => !/embed|image|tts|whisper|dall-e|flux|rerank|moderation/i.test(name));
  return chats.find((name) => name.startsWith("gpt")) ?? chats[0] ?? "gpt-4o-mini";
}

export function CodeSamples(props: SampleProps) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<SampleLanguage>("curl");
  const code = sample(language, props);
  return (
    <div className={classes.box}>
      <div className={classes.bar}>
        <SegmentedControl
          size="xs"
          data={[...languages]}
          value={language}
          onChange={setLanguage}
          aria-label={t("Language of the sample")}
        />
        <CopyButton text={code} label={t("Code")} />
      </div>
      <pre className={classes.code} tabIndex={0}>
        <code>{toned(code)}</code>
      </pre>
    </div>
  );
}

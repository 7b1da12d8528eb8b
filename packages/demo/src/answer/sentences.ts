/** The demo model's default answers, in the language of the question. */
import type { Question } from "./question.ts";

export type Language = "en" | "zh" | "ja";

export function languageOf(text: string): Language {
  if (/[\u3040-\u30ff]/.test(text)) return "ja";
  return /[\u3400-\u9fff]/.test(text) ? "zh" : "en";
}

const MOST_QUOTED = 240;

function quoteText(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MOST_QUOTED ? `${line.slice(0, MOST_QUOTED)}…` : line;
}

interface Phrases {
  hello(model: string): string;
  requested(text: string, model: string): string;
  turn(turns: number): string;
  sees(images: number, audios: number, files: number): string;
  result(results: string[]): string;
  sum(expression: string, value: string): string;
  sample: string;
  silence: string;
  thought(text: string): string;
  long: string;
}

const code = "```ts\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n```";

function countOf(amount: number, one: string): string[] {
  if (amount === 0) return [];
  return [amount === 1 ? `1 ${one}` : `${amount} ${one}s`];
}

const phrases: Record<Language, Phrases> = {
  en: {
    hello: (model) =>
      `Hello! I am ${model}, the built-in demo model. I cost nothing at any provider; ask me something, offer me a tool or show me a picture.`,
    requested: (text, model) =>
      `Your message: “${text}”\n\nI am ${model}, a simulated model inside this gateway. I do not really think, but streaming, tools, usage and billing behave as they do with a real provider. Ask for code to see formatting, or add [[length=300]] for a longer answer.`,
    turn: (turns) => `\n\nThis is your message number ${turns} in this conversation.`,
    sees: (images, audios, files) =>
      `I see ${[...countOf(images, "image"), ...countOf(audios, "audio clip"), ...countOf(files, "file")].join(" and ")}. `,
    result: (results) => `Here is what the tool answered: ${results.join("; ")}`,
    sum: (expression, value) => `${expression} = ${value}`,
    sample: `Here is a small example:\n\n${code}\n\n| Call | Result |\n| --- | ---: |\n| add(1, 2) | 3 |\n| add(20, 22) | 42 |\n\n- It is **typed**.\n- It has no side effects.`,
    silence: "Your message is empty. Ask me something.",
    thought: (text) =>
      `The person writes in English: “${text}”. I look for tools that help, and for pictures. Then I answer in a few friendly sentences.`,
    long: "This sentence belongs to a long answer of the demo model, which goes on until it has the requested length.",
  },
  zh: {
    hello: (model) =>
      `你好！我是内置的演示模型 ${model}，不消耗任何厂商额度。可以向我提问、提供工具，或发送图片。`,
    requested: (text, model) =>
      `你问的是：“${text}”\n\n我是 ${model}，运行在本网关内部的模拟模型。我不会真正思考，但流式输出、工具调用、用量和计费都与真实厂商一致。可以让我写代码来查看排版效果，或加上 [[length=300]] 获得更长的回答。`,
    turn: (turns) => `\n\n这是本次对话中你的第 ${turns} 条消息。`,
    sees: (images, audios, files) =>
      `我看到了${[
        ...(images > 0 ? [`${images} 张图片`] : []),
        ...(audios > 0 ? [`${audios} 段音频`] : []),
        ...(files > 0 ? [`${files} 个文件`] : []),
      ].join("、")}。`,
    result: (results) => `工具返回的结果是：${results.join("；")}`,
    sum: (expression, value) => `${expression} = ${value}`,
    sample: `这是一个小例子：\n\n${code}\n\n| 调用 | 结果 |\n| --- | ---: |\n| add(1, 2) | 3 |\n| add(20, 22) | 42 |\n\n- **类型明确**\n- 没有副作用`,
    silence: "你还没有说话，请向我提问。",
    thought: (text) => `用户用中文提问：“${text}”。我先看有没有可用的工具和图片，然后用几句友好的话来回答。`,
    long: "这句话属于演示模型的长回答，它会一直继续，直到达到所要求的长度。",
  },
  ja: {
    hello: (model) =>
      `こんにちは！内蔵デモモデルの ${model} です。プロバイダーの料金はかかりません。質問、ツール、画像をお試しください。`,
    requested: (text, model) =>
      `ご質問：「${text}」\n\n私は ${model}、このゲートウェイの中で動く模擬モデルです。実際には考えませんが、ストリーミング、ツール、使用量、課金は本物のプロバイダーと同じように動きます。コードを頼むと書式を確認でき、[[length=300]] を付けると長い回答になります。`,
    turn: (turns) => `\n\nこの会話で ${turns} 件目のメッセージです。`,
    sees: (images, audios, files) =>
      `${[
        ...(images > 0 ? [`画像 ${images} 枚`] : []),
        ...(audios > 0 ? [`音声 ${audios} 件`] : []),
        ...(files > 0 ? [`ファイル ${files} 件`] : []),
      ].join("と")}を確認しました。`,
    result: (results) => `ツールの結果はこちらです：${results.join("；")}`,
    sum: (expression, value) => `${expression} = ${value}`,
    sample: `小さな例です：\n\n${code}\n\n| 呼び出し | 結果 |\n| --- | ---: |\n| add(1, 2) | 3 |\n| add(20, 22) | 42 |\n\n- **型があります**\n- 副作用はありません`,
    silence: "まだ何もおっしゃっていません。質問をどうぞ。",
    thought: (text) =>
      `日本語の質問です：「${text}」。使えるツールと画像があるかを見て、短く親切に答えます。`,
    long: "この文はデモモデルの長い回答の一部で、求められた長さになるまで続きます。",
  },
};

const greeting =
  /^\s*(hi|hello|hey|good (morning|day|evening)|你好|您好|嗨|こんにちは|おはよう|こんばんは)[\s!！,，。.]*$/i;
const wish = /\b(code|function|example|markdown|table)\b|代码|代碼|函数|表格|例子|コード|関数|表を|例を/i;
const sum = /(-?\d+(?:\.\d+)?) ?([-+*/×÷]) ?(-?\d+(?:\.\d+)?)/;

function calculate(text: string): [string, string] | undefined {
  // Only for a short question: dates and codes contain dashes and digits too.
  if (text.length > 60) return undefined;
  const [, left, operator, right] = sum.exec(text) ?? [];
  if (left === undefined || operator === undefined || right === undefined) return undefined;
  const [a, b] = [Number(left), Number(right)];
  const values: Record<string, number> = {
    "+": a + b,
    "-": a - b,
    "*": a * b,
    "×": a * b,
    "/": a / b,
    "÷": a / b,
  };
  const value = values[operator] ?? Number.NaN;
  return [`${left} ${operator} ${right}`, String(Number(value.toPrecision(12)))];
}

/** Returns the whole answer to a text without switches. */
export function answerTo(question: Question, text: string): string {
  const phrasesOf = phrases[languageOf(text)];
  if (question.toolResults.length > 0) return phrasesOf.result(question.toolResults);
  const shown = question.images + question.audios + question.files;
  const sees = shown > 0 ? phrasesOf.sees(question.images, question.audios, question.files) : "";
  if (text === "") return sees === "" ? phrasesOf.silence : sees.trim();
  if (greeting.test(text)) return sees + phrasesOf.hello(question.model);
  const found = calculate(text);
  if (found !== undefined) return sees + phrasesOf.sum(...found);
  if (wish.test(text)) return sees + phrasesOf.sample;
  const turn = question.turns > 1 ? phrasesOf.turn(question.turns) : "";
  return sees + phrasesOf.requested(quoteText(text), question.model) + turn;
}

export function thinkingText(text: string): string {
  return phrases[languageOf(text)].thought(quoteText(text));
}

export function longText(text: string): string {
  return phrases[languageOf(text)].long;
}

/** Chooses which of the offered tools the demo model calls, and their arguments. */
import { randomBytes } from "node:crypto";
import { lookupTable } from "@gateway/shared/lookup-table";
import type { OfferedTool, Question } from "./question.ts";
import { exampleOf } from "./schema-example.ts";

export interface ToolCall {
  /** Random part of an id. Each wire format adds its own prefix. */
  id: string;
  name: string;
  /** Arguments as JSON. */
  input: string;
  form?: OfferedTool["form"];
}

const places = (
  "Amsterdam,Athens,Barcelona,Beijing,Berlin,Boston,Chicago,Delhi,Dubai,Dublin,Geneva,Hamburg,Hong Kong,Istanbul," +
  "Kyoto,Lisbon,London,Los Angeles,Madrid,Milan,Moscow,Munich,New York,Osaka,Oslo,Paris,Prague,Rome,San Francisco," +
  "Seattle,Seoul,Shanghai,Shenzhen,Singapore,Stockholm,Sydney,Taipei,Tokyo,Toronto,Vienna,Zurich," +
  "北京,上海,广州,廣州,深圳,香港,台北,杭州,东京,東京,大阪,京都,巴黎,伦敦,倫敦,纽约,紐約,パリ,ロンドン,ニューヨーク"
).split(",");
const anyPlaces = ["Paris", "London"];

/** Words in other languages for a word of a tool's name. */
const meanings = lookupTable<RegExp>({
  weather: /天气|天氣|天気/,
  time: /时间|時間|几点|幾點|何時/,
  search: /搜索|搜尋|检索|検索/,
  price: /价格|價格|値段|価格/,
  calculate: /计算|計算/,
});

/** Returns named places in order of appearance. */
function placesIn(text: string): string[] {
  const lower = text.toLowerCase();
  return places
    .map((place) => ({ place, at: lower.indexOf(place.toLowerCase()) }))
    .filter(({ at }) => at !== -1)
    .sort((one, other) => one.at - other.at)
    .map(({ place }) => place);
}

function asksFor(tool: OfferedTool, text: string): boolean {
  const lower = text.toLowerCase();
  if (lower.includes(tool.name.toLowerCase())) return true;
  return tool.name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((word) => (word.length >= 4 && lower.includes(word)) || meanings[word]?.test(text) === true);
}

function selectTools(question: Question, text: string): OfferedTool[] {
  const { tools, toolChoice } = question;
  if (typeof toolChoice === "object")
    return tools.filter((tool) => tool.name === toolChoice.name).slice(0, 1);
  if (toolChoice === "none") return [];
  const requested = tools.filter((tool) => asksFor(tool, text));
  if (requested.length > 0 || toolChoice === "auto") return requested;
  return tools.slice(0, 1);
}

/** Returns the tool calls; none once there is a result, because the model then answers with text. */
export function callsFor(question: Question, text: string): ToolCall[] {
  if (question.tools.length === 0 || question.toolResults.length > 0) return [];
  const tools = selectTools(question, text);
  const [first] = tools;
  if (first === undefined) return [];
  const named = placesIn(text);
  const both = named.length > 1 || /\bboth\b|两个|兩個|両方/i.test(text);
  const single = tools.length === 1;
  const targets = named.length > 0 ? named : anyPlaces;
  const pairs =
    both && single
      ? (targets.length > 1 ? targets : anyPlaces).map((place) => ({ tool: first, place }))
      : tools.map((tool) => ({ tool, place: targets[0] ?? "Paris" }));
  return (question.parallelTools ? pairs : pairs.slice(0, 1)).map(({ tool, place }) => ({
    id: randomBytes(12).toString("hex"),
    name: tool.name,
    ...(tool.form && { form: tool.form }),
    input: JSON.stringify(exampleOf({ type: "object", ...tool.schema }, { prompt: text, place })),
  }));
}

const PIECE_OF_INPUT = 8;

/** Splits the arguments into small pieces for a stream. A piece alone is not valid JSON. */
export function inputPieces(input: string): string[] {
  return input.match(new RegExp(`[\\s\\S]{1,${PIECE_OF_INPUT}}`, "gu")) ?? [];
}

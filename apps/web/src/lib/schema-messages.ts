/** What the schemas say of a value where they have no sentence of their own, in the reader's language. */
import i18next from "i18next";
import { z } from "zod";
import { phrase } from "./i18n.ts";

type Issue = z.core.$ZodRawIssue;
/** An English phrase and the number it names. */
type Sentence = { text: string; number?: number };

const required: Sentence = { text: phrase("This is required") };

function tooSmall({ origin, minimum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): Sentence {
  const number = Number(minimum);
  if (origin === "string")
    return number <= 1 ? required : { text: phrase("It needs at least {{number}} characters"), number };
  if (origin === "array" || origin === "set")
    return number <= 1 ? required : { text: phrase("It needs at least {{number}} entries"), number };
  return inclusive === false
    ? { text: phrase("It must be more than {{number}}"), number }
    : { text: phrase("It cannot be less than {{number}}"), number };
}

function tooBig({ origin, maximum, inclusive }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): Sentence {
  const number = Number(maximum);
  if (origin === "string") return { text: phrase("It may have at most {{number}} characters"), number };
  if (origin === "array" || origin === "set")
    return { text: phrase("It may have at most {{number}} entries"), number };
  return inclusive === false
    ? { text: phrase("It must be less than {{number}}"), number }
    : { text: phrase("It cannot be more than {{number}}"), number };
}

function wrongType({ expected, input }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): Sentence {
  if (expected === "int") return { text: phrase("It must be a whole number") };
  if (input === undefined || input === null || input === "") return required;
  return expected === "number" ? { text: phrase("It must be a number") } : notValid;
}

const notValid: Sentence = { text: phrase("This value is not valid") };

function sentenceFor(issue: Issue): Sentence {
  switch (issue.code) {
    case "too_small":
      return tooSmall(issue);
    case "too_big":
      return tooBig(issue);
    case "invalid_type":
      return wrongType(issue);
    case "invalid_format":
      if (issue.format === "email") return { text: phrase("This is not an e-mail address") };
      return issue.format === "url" ? { text: phrase("This is not a web address") } : notValid;
    default:
      return notValid;
  }
}

/** Once, before a form is shown; every sentence is in the language of its moment. */
export function speakForSchemas(): void {
  z.config({
    localeError: (issue) => {
      const { text, number } = sentenceFor(issue);
      return i18next.t(text, { number });
    },
  });
}

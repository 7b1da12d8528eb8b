import { z } from "zod";
import { type ExactNumber, isExactNumber } from "./json/parse-json.ts";

const exactInteger = z.custom<ExactNumber>(
  (value) => isExactNumber(value) && /^-?\d{1,20}$/.test(value.rawJSON),
);

/** An integer of up to 64 bits. */
export const seed = z.union([z.int(), exactInteger], { error: "expected an integer" });

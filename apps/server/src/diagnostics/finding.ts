/** What a check of `gateway doctor` found; each finding says how to correct it. */
export interface Finding {
  check: string;
  state: "ok" | "warning" | "error";
  text: string;
  /** What to do; "" when nothing. */
  fix: string;
}

export type Found = Omit<Finding, "check">;

export const ok = (text: string): Found[] => [{ state: "ok", text, fix: "" }];
export const warn = (text: string, fix: string): Found[] => [{ state: "warning", text, fix }];
export const bad = (text: string, fix: string): Found[] => [{ state: "error", text, fix }];

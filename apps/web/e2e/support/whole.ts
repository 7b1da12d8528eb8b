/** Whether tests take every combination: `pnpm screens`. `npm test` takes each language, device and scheme once. */
export const isWhole = process.env["WHOLE_SCREENS"] === "1";

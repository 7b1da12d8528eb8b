import { createUploads } from "#migration/uploads.ts";
import type { Context } from "../context.ts";
import type { Component } from "../parts.ts";

/** Removes the files of imports that an earlier process left behind. */
export const importFiles: Component<Context & { dataDir: string }, void> = {
  name: "files of imports",
  open({ dataDir, onError }) {
    createUploads(dataDir).sweep().catch(onError);
  },
};

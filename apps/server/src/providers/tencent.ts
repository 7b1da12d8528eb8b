import { hunyuan } from "./hunyuan.ts";
import type { Provider } from "./provider.ts";

/** https://cloud.tencent.com/document/product/1729, read 2026-11. The signed API of 2023 is gone; Hunyuan's took over. */
export const tencent: Provider = {
  ...hunyuan,
  type: 23,
  id: "tencent",
  label: "Tencent Hunyuan, first API (retired by Tencent; asks today's)",
};

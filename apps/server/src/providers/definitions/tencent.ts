import type { Provider } from "#providers/provider.ts";
import { hunyuan } from "./hunyuan.ts";

/**
 * https://cloud.tencent.com/document/product/1729/131925, read 2026-11-21. TokenHub replaced the signed API
 * of 2023.
 */
export const tencent: Provider = {
  ...hunyuan,
  type: 23,
  id: "tencent",
  label: "Tencent Hunyuan, first API (retired; uses the current API)",
  group: "discontinued",
  help: "provider-china",
};

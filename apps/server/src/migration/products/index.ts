import { litellm } from "#migration/litellm/litellm.ts";
import { newApi } from "./new-api/new-api.ts";
import { oneApi } from "./one-api/one-api.ts";
import { oneHub } from "./one-hub/one-hub.ts";
import type { Product } from "./product.ts";

/** Every product that can be imported from its database. */
export const products: readonly Product[] = [oneHub, newApi, oneApi, litellm];

/** A slow network, for `pnpm verify:slow-network`: finds tests that do not wait for what the user sees. */
import type { BrowserContext } from "@playwright/test";

/** The least and the most that a response is late, in milliseconds. */
const delays = { read: [100, 400], write: [300, 900] } as const;

/** Delays each response of the API in the pages of a context. The server has done its work before. */
export async function delayResponses(context: BrowserContext): Promise<void> {
  await context.addInitScript(replaceFetch, delays);
}

/** Runs in the page. */
function replaceFetch({ read, write }: typeof delays): void {
  const fetchNow = window.fetch;
  window.fetch = async (input, init) => {
    const response = await fetchNow(input, init);
    if (!/\/(api|v1)\//.test(new URL(response.url).pathname)) return response;
    const [least, most] = (init?.method ?? "GET") === "GET" ? read : write;
    await new Promise((resolve) => setTimeout(resolve, least + Math.random() * (most - least)));
    return response;
  };
}

/** Tests of channels and their results, kept while the console is open for comparison. */
import type { ChannelForm, ChannelTestResult } from "@gateway/shared/channels/channel";
import { type QueryClient, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { patchCachedRow } from "#features/channels/api.ts";
import { errorReason } from "#lib/errors/error-text.ts";
import { asSent, http } from "#lib/http.ts";

export type TestState =
  | { state: "running" }
  /** `at`: unix seconds. */
  | { state: "done"; result: ChannelTestResult; at: number };

/** Results by model; "" while the channel's default model is unknown. `last` is the model tested last. */
type TestBook = { byModel: Record<string, TestState>; last: string | null };

const emptyBook: TestBook = { byModel: {}, last: null };
const bookKey = (id: number) => ["channel-tests", id];

export function useTestBook(id: number): TestBook {
  const book = useQuery<TestBook>({
    queryKey: bookKey(id),
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  return book.data ?? emptyBook;
}

/**
 * Stores the result of a test.
 * @param at unix seconds
 * @param running the model it was started with: "" when the channel's default model was unknown
 */
export function noteOutcome(
  client: QueryClient,
  id: number,
  result: ChannelTestResult,
  at: number,
  running = result.model,
): void {
  client.setQueryData<TestBook>(bookKey(id), (book = emptyBook) => {
    const { [running]: _running, ...others } = book.byModel;
    const last = result.model || running;
    return { byModel: { ...others, [last]: { state: "done", result, at } }, last };
  });
}

export type RunTest = (id: number, model?: string) => Promise<ChannelTestResult>;

/**
 * Never rejects: a test that could not run counts as failed. New response times appear in the lists at once.
 * Call `refreshChannels` afterwards, because a successful test may have enabled a channel again.
 */
export function useRunTest(): RunTest {
  const client = useQueryClient();
  const { t } = useTranslation("channels");
  return useCallback(
    async (id, model = "") => {
      client.setQueryData<TestBook>(bookKey(id), (book = emptyBook) => ({
        byModel: { ...book.byModel, [model]: { state: "running" } },
        last: model,
      }));
      let result: ChannelTestResult;
      try {
        result = await http.post(`/channel/${id}/test`, asSent<ChannelTestResult>(), { model });
      } catch (error) {
        result = {
          ok: false,
          model,
          duration: 0,
          message: errorReason(error, t),
          message_facts: [],
          fault: "network",
        };
      }
      const at = Math.floor(Date.now() / 1000);
      noteOutcome(client, id, result, at, model);
      if (result.ok)
        patchCachedRow(client, id, (known) => ({ ...known, response_time: result.duration, test_time: at }));
      return result;
    },
    [client, t],
  );
}

/** Tests the unsaved form. Rejects with field errors when the values are not a valid channel. */
export function testUnsavedChannel(input: ChannelForm, id: number | undefined): Promise<ChannelTestResult> {
  return http.post("/channel/test", asSent<ChannelTestResult>(), { ...input, id });
}

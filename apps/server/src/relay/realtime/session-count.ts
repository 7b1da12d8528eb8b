/**
 * Our own count of a realtime session: the text and audio of its conversation, its responses and its transcriptions. It must
 * not contain prices. Used for reservations, and where the provider reports no usage.
 */
import type { CharacterCount } from "#dialects/dialect.ts";
import type { Usage } from "#dialects/ir.ts";
import { tokensOf } from "#domain/pricing/estimate.ts";
import { unseenInput } from "#domain/pricing/plausible.ts";
import { addTo } from "#relay/core/billing/tally-text.ts";
import { AUDIO_INPUT_TOKENS_PER_SECOND } from "#relay/media/plain-usage.ts";
import type { ConversationTokens } from "./realtime-estimate.ts";
import { AUDIO_OUTPUT_TOKENS_PER_SECOND, type InputPart } from "./realtime-events.ts";

/** An image has up to 1,640 tokens and is counted as text. */
const CHARACTERS_PER_IMAGE = 4 * 1_640;

export interface MediaCount {
  tally: CharacterCount;
  /** Seconds of audio. */
  sound: number;
}

export class SessionCount {
  /** Tokens of the conversation by the provider's last report, and the input since then. */
  #context: ConversationTokens = { text: 0, sound: 0 };
  #pending = emptyCount();
  /** Seconds of audio since the last recording. */
  #recording = 0;
  /** Transcriptions that have begun, by their item. */
  readonly #transcriptions = new Map<string, MediaCount>();

  addInput({ text, bytes, images }: InputPart, bytesPerSecond: number): void {
    addTo(this.#pending.tally, text);
    this.#pending.tally.narrow += images * CHARACTERS_PER_IMAGE;
    this.#pending.sound += bytes / bytesPerSecond;
    this.#recording += bytes / bytesPerSecond;
  }

  /** Returns the input that the next response reads. */
  conversation(): ConversationTokens {
    return {
      text: this.#context.text + tokensOf(this.#pending.tally),
      sound: this.#context.sound + Math.ceil(this.#pending.sound * AUDIO_INPUT_TOKENS_PER_SECOND),
    };
  }

  /** Returns a copy of the input that no response has read yet. */
  unreadInput(): MediaCount {
    return { tally: { ...this.#pending.tally }, sound: this.#pending.sound };
  }

  /** Continues after a response, whose conversation fits the longest context window of a model. @param read the input that it has read; later input belongs to the next one */
  endResponse({ input, output, audioInput = 0, audioOutput = 0 }: Usage, read: MediaCount): void {
    const sound = Math.min(audioInput + audioOutput, unseenInput);
    this.#context = { text: Math.max(0, Math.min(input + output, unseenInput) - sound), sound };
    this.#pending = without(this.#pending, read);
  }

  /** Adds text to a transcription; the first text takes the audio since the last recording. */
  addTranscript(item: string, text: string): void {
    const count = this.#transcriptions.get(item) ?? this.#takeRecording();
    this.#transcriptions.set(item, count);
    addTo(count.tally, text);
  }

  isTranscribing(): boolean {
    return this.#transcriptions.size > 0;
  }

  #takeRecording(): MediaCount {
    const sound = this.#recording;
    this.#recording = 0;
    return { ...emptyCount(), sound };
  }

  /** Removes a transcription. One that has not begun before has the audio since the last recording. */
  takeTranscription(item: string): MediaCount {
    const count = this.#transcriptions.get(item) ?? this.#takeRecording();
    this.#transcriptions.delete(item);
    return count;
  }

  /** Removes all transcriptions. */
  takeTranscriptions(): MediaCount[] {
    const counts = [...this.#transcriptions.values()];
    this.#transcriptions.clear();
    return counts;
  }
}

/** Returns the usage of a response by our count. */
export function countedUsage({ text, sound }: ConversationTokens, output: MediaCount): Usage {
  const spoken = Math.ceil(output.sound * AUDIO_OUTPUT_TOKENS_PER_SECOND);
  return {
    input: text + sound,
    ...(sound > 0 ? { audioInput: sound } : {}),
    output: tokensOf(output.tally) + spoken,
    ...(spoken > 0 ? { audioOutput: spoken } : {}),
  };
}

/** Returns the usage of a transcription by our count. */
export function transcriptUsage({ tally, sound }: MediaCount): Usage {
  const input = Math.ceil(sound * AUDIO_INPUT_TOKENS_PER_SECOND);
  return { input, output: tokensOf(tally), ...(input > 0 ? { audioInput: input } : {}) };
}

export function emptyCount(): MediaCount {
  return { tally: { narrow: 0, wide: 0 }, sound: 0 };
}

function without({ tally, sound }: MediaCount, part: MediaCount): MediaCount {
  return {
    tally: {
      narrow: tally.narrow - part.tally.narrow,
      wide: tally.wide - part.tally.wide,
      spaces: (tally.spaces ?? 0) - (part.tally.spaces ?? 0),
    },
    sound: sound - part.sound,
  };
}

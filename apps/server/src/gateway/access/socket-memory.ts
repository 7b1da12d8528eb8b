/** The memory of a WebSocket's messages, which counts in the memory budget like the body of a request. */
import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import { bodyMemory } from "#gateway/body/json-body.ts";
import type { MessageSocket } from "#platform/http/web-socket.ts";
import type { MemoryAllocation } from "#platform/memory/memory-budget.ts";

/** Bytes of messages that are not counted. */
const UNCOUNTED_BYTES = 64 * 1024;

/** Takes over the memory of the messages that have arrived. Returns a function that releases it. */
type TakeArrived = () => () => void;

/**
 * Counts messages while they arrive, before they are complete: their bytes, and what parsing them needs. Closes a socket for
 * whose messages there is no memory.
 * @param encode returns an error as the socket's client reads it
 */
export function countArriving(
  connection: Socket,
  socket: WebSocket,
  memory: MemoryAllocation,
  encode: (error: unknown) => string,
): TakeArrived {
  let arrived = 0;
  let counted = 0;
  const refuse = (error: unknown) => {
    socket.send(encode(error));
    socket.close(1013, "overloaded");
  };
  const grow = async (bytes: number) => {
    socket.pause();
    try {
      await memory.add(bytes);
      socket.resume();
    } catch (error) {
      refuse(error);
    }
  };
  connection.on("data", (chunk: Buffer) => {
    arrived += chunk.length;
    const bytes = bodyMemory(arrived) - counted;
    if (bytes <= bodyMemory(UNCOUNTED_BYTES)) return;
    counted += bytes;
    void grow(bytes);
  });
  return () => {
    let taken = counted;
    arrived = 0;
    counted = 0;
    return () => {
      memory.giveBack(taken);
      taken = 0;
    };
  };
}

/** Returns a socket that releases the memory of each message when the next one is read. */
export function releasingSocket(socket: MessageSocket, takeArrived: TakeArrived): MessageSocket {
  return {
    ...socket,
    async *messages() {
      for await (const message of socket.messages()) {
        const release = takeArrived();
        try {
          yield message;
        } finally {
          release();
        }
      }
    },
  };
}
